/** Converts messages from the graph's words to those of the contract, for the Action API and the legacy interfaces. */
import { CatalogError, type Problem } from '../../../src/kernel/errors.ts';

/** Search parameters by their names in the graph. Their errors begin with the name. */
const PARAMETERS: Readonly<Record<string, string>> = {
  query: 'q',
  filters: 'fq',
  addFunctions: 'bf',
  multiplyFunctions: 'boost',
  queryFields: 'qf',
  minimumMatch: 'mm',
  parser: 'defType',
  facetFields: 'facet.field',
};

/** Whole messages, or the parts of them before anything that a caller sent. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /^((?:Visitors are|User \S+ is|User \S+) not authorized to (?:read|edit|create|purge) (?:these )?)dataset/,
    '$1package',
  ],
  [/^That name is already in use by another dataset$/, 'That URL is already in use.'],
  [/^The dataset was not found\.$/, 'Package was not found.'],
  [/^The first dataset was not found\.$/, 'First package named in request was not found.'],
  [/^The second dataset was not found\.$/, 'Second package named in address was not found.'],
  [/^The datasets do not have this relationship\.$/, 'This relationship between the packages was not found.'],
  [/^The (subject|object) '/, "$1 package '"],
  [/^A new resource with a table must not have a URL$/, 'The datapusher has to be enabled.'],
  [/^Give either `resourceId` or `resource`, not both$/, 'resource cannot be used with resource_id'],
];
/** The contract calls the capacity of a user a role. */
const [NO_ROLE, UNKNOWN_ROLE] = [
  'Must be ADMIN, EDITOR or MEMBER',
  { path: ['role'], message: 'role does not exist.' },
] as const;
const capital = (text: string): string =>
  text.replace(/^(subject|object) package/, (part) => part[0]!.toUpperCase() + part.slice(1));

const inWords = (text: string): string =>
  WORDS.reduce(
    (said, [words, replacement]) => (words.test(said) ? capital(said.replace(words, replacement)) : said),
    text,
  );

const inParameters = (text: string): string =>
  text.replace(/^(\w+): /, (start, name: string) =>
    Object.hasOwn(PARAMETERS, name) ? `${PARAMETERS[name]}: ` : start,
  );

/** The same error in the contract's words. A search error has no problems there: its message names the parameter. */
export function inContractWords(error: CatalogError): CatalogError {
  if (error.kind === 'SEARCH') return new CatalogError(error.kind, inParameters(error.message));
  const problems = error.problems.map(
    (problem): Problem =>
      problem.message === NO_ROLE ? UNKNOWN_ROLE : { ...problem, message: inWords(problem.message) },
  );
  const same = problems.every(({ message }, at) => message === error.problems[at]!.message);
  const message = inWords(error.message);
  return same && message === error.message
    ? error
    : new CatalogError(error.kind, message, problems, error.currentVersion);
}
