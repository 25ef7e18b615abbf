/** Options of commands, and the reader of command lines. Commands refuse unknown options and name the nearest one. */
import { parseArgs } from 'node:util';
import { UsageError } from './command.ts';
import { nearest } from './nearest.ts';

/** An option without its dashes. */
export interface Option {
  readonly type: 'string' | 'boolean';
  /** Placeholder of the value in help texts. */
  readonly value?: string;
  readonly summary: string;
}

export type Options = Readonly<Record<string, Option>>;

/** Words and options of one command. */
export interface Shape {
  readonly options: Options;
  /** Minimum and maximum number of words that are not options. */
  readonly words: readonly [min: number, max: number];
}

const flag = (summary: string) => ({ type: 'boolean', summary }) as const;
const text = (value: string, summary: string) => ({ type: 'string', value, summary }) as const;

const ANY = Number.POSITIVE_INFINITY;
const JSON_OUT = { json: flag('Print JSON in place of text.') };
const YES = { yes: flag('Do it without a question.') };
const LIMIT = { limit: text('N', 'Maximum number of lines, from 1 to 10000. Default: 100.') };
const DATASET = { dataset: text('NAME', 'Only those of this dataset.') };
const STATE = { state: text('STATE', 'Only those in this state: queued, running, done, failed or cancelled.') };
const KIND = { kind: text('KIND', 'Only jobs of this kind, such as load.') };
const FULL_NAME = { 'full-name': text('TEXT', 'Full name.') };
const ACCOUNT = {
  email: text('ADDRESS', 'E-mail address.'),
  password: text('PASSWORD', 'Password, 8 to 1000 characters.'),
};

/** The options and words of every command by its name. */
export const SHAPES = {
  serve: { options: { workers: text('N', 'Number of processes. Default: 1.') }, words: [0, 0] },
  backup: {
    options: { programs: text('FOLDER', 'Programs of an older PostgreSQL, for embedded data that it made.') },
    words: [1, 1],
  },
  restore: { options: {}, words: [1, 1] },
  'theme check': { options: {}, words: [0, 1] },
  migrate: { options: {}, words: [0, 0] },
  version: { options: JSON_OUT, words: [0, 0] },
  config: { options: JSON_OUT, words: [0, 0] },
  doctor: {
    options: {
      full: flag(
        'Compare all datasets, and also check statistics, stored files and tables. Default: documents and search index of the first 200 datasets.',
      ),
      ...JSON_OUT,
    },
    words: [0, 0],
  },
  'user add': {
    options: {
      sysadmin: flag('Make the user a system administrator.'),
      'api-key': text('KEY', 'API key. Default: a random one.'),
      ...ACCOUNT,
    },
    words: [1, 1],
  },
  'user link': { options: {}, words: [1, 1] },
  'user list': {
    options: {
      text: text('TEXT', 'Only users whose name, full name or e-mail address contains the text.'),
      sysadmin: flag('Only system administrators.'),
      deleted: flag('Deleted users in place of active ones.'),
      ...LIMIT,
      ...JSON_OUT,
    },
    words: [0, 0],
  },
  'user show': { options: JSON_OUT, words: [1, 1] },
  'user change': {
    options: { name: text('NAME', 'New name.'), ...FULL_NAME, ...ACCOUNT, ...JSON_OUT },
    words: [1, 1],
  },
  'user delete': { options: YES, words: [1, 1] },
  'user restore': { options: {}, words: [1, 1] },
  'user key': { options: YES, words: [1, 1] },
  'sysadmin list': { options: { ...LIMIT, ...JSON_OUT }, words: [0, 0] },
  'sysadmin grant': { options: {}, words: [1, 1] },
  'sysadmin revoke': { options: {}, words: [1, 1] },
  'jobs list': { options: { ...KIND, ...STATE, ...DATASET, ...LIMIT, ...JSON_OUT }, words: [0, 0] },
  'jobs retry': { options: { failed: flag('All failed jobs.'), ...KIND }, words: [0, ANY] },
  'jobs drop': { options: { queued: flag('All queued jobs.'), ...KIND, ...YES }, words: [0, ANY] },
  'loads list': { options: { ...STATE, ...DATASET, ...LIMIT, ...JSON_OUT }, words: [0, 0] },
  'loads retry': { options: { failed: flag('All failed loads.') }, words: [0, ANY] },
  'loads drop': { options: { queued: flag('All queued loads.'), ...YES }, words: [0, ANY] },
  'webhooks list': {
    options: { user: text('NAME', 'Only webhooks of this user.'), ...LIMIT, ...JSON_OUT },
    words: [0, 0],
  },
  'webhooks dead-letters': { options: { ...LIMIT, ...JSON_OUT }, words: [1, 1] },
  'webhooks redeliver': { options: { all: flag('All dead letters of the webhook.') }, words: [1, 101] },
  'webhooks pause': { options: {}, words: [1, 1] },
  'webhooks resume': { options: {}, words: [1, 1] },
  harvest: {
    options: {
      kind: text('KIND', 'Protocol of a new source: ckan or dcat. Default: ckan.'),
      organization: text('ORGANIZATION', 'Owner of the datasets of a new source.'),
      user: text('NAME', 'Write as this user. Default: a system administrator without an account.'),
      'api-key': text('KEY', 'API key that is sent to a new source.'),
      'per-second': text('N', 'Requests per second to a new source. Default: 5.'),
      adopt: flag('A new source overwrites objects with the same id that came from elsewhere.'),
      full: flag('Read everything again.'),
      force: flag('Accept any number of deleted datasets.'),
    },
    words: [1, 1],
  },
  'harvest sources': { options: { ...LIMIT, ...JSON_OUT }, words: [0, 0] },
  'harvest runs': {
    options: { remarks: flag('Print the remarks of the newest run.'), ...LIMIT, ...JSON_OUT },
    words: [1, 1],
  },
  'trash list': { options: { ...LIMIT, ...JSON_OUT }, words: [0, 0] },
  'trash purge': {
    options: {
      type: text('TYPE', 'Only datasets, organizations or groups. Required with names.'),
      ...YES,
    },
    words: [0, ANY],
  },
  'changes status': { options: JSON_OUT, words: [0, 0] },
  'changes prune': {
    options: {
      days: text('N', 'Keep the changes of the last N days, from 1 to 36500.'),
      'dry-run': flag('Only print the number of changes.'),
      force: flag('Prune changes that webhooks have not received. They are disabled then.'),
      ...YES,
    },
    words: [0, 0],
  },
  import: { options: { replace: flag('Change objects with the same name and another id.') }, words: [1, 1] },
  demo: { options: {}, words: [0, 0] },
  export: {
    options: {
      type: text('TYPE', 'datasets, organizations or groups. Default: all.'),
      format: text('FORMAT', 'rdf, ttl, jsonld, n3 or nt, for datasets only. Default: the format of the import.'),
      all: flag('Include private and draft datasets.'),
      portable: flag('Omit values that each catalog generates. Not with --format.'),
    },
    words: [0, 1],
  },
  'documents check': { options: {}, words: [0, 0] },
  'documents rebuild': { options: {}, words: [0, 0] },
  'files check': { options: {}, words: [0, 0] },
  'files sweep': { options: {}, words: [0, 0] },
  'datastore check': { options: {}, words: [0, 0] },
  'datastore sweep': { options: {}, words: [0, 0] },
  'datastore indexes': { options: JSON_OUT, words: [0, 0] },
  'search check': { options: {}, words: [0, 0] },
  'search rebuild': { options: {}, words: [0, 0] },
  'search status': { options: {}, words: [0, 0] },
  'links check': { options: { dataset: text('NAME', 'Only links of this dataset.') }, words: [0, 0] },
  'links status': { options: {}, words: [0, 0] },
  'statistics check': { options: {}, words: [0, 0] },
  'statistics rebuild': { options: {}, words: [0, 0] },
  'usage import': { options: {}, words: [1, 1] },
  'quality score': { options: {}, words: [0, 0] },
  reset: { options: YES, words: [0, 0] },
  try: { options: {}, words: [1, ANY] },
} as const satisfies Record<string, Shape>;

type Shapes = typeof SHAPES;
/** A command got too few words. `given` is their number. */
export class MissingWord extends UsageError {
  constructor(readonly given: number) {
    super('a word is missing.');
  }
}

/** The words and options that a command got. */
export interface Given<Name extends keyof Shapes> {
  readonly words: readonly string[];
  readonly values: {
    readonly [Key in keyof Shapes[Name]['options']]?: Shapes[Name]['options'][Key] extends { type: 'boolean' }
      ? boolean
      : string;
  };
}

/** Reads the words after a command's name. @throws UsageError naming the wrong option or word */
export function readArgs<const Name extends keyof Shapes>(name: Name, args: readonly string[]): Given<Name> {
  return readShape(name, SHAPES[name], args) as unknown as Given<Name>;
}

/** @throws UsageError naming the wrong option or word */
export function readShape(name: string, { options, words: [min, max] }: Shape, args: readonly string[]) {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const values: Record<string, string | boolean> = {};
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind === 'option') values[token.name] = givenValue(name, options, token);
  }
  if (words.length < min) throw new MissingWord(words.length);
  if (words.length > max) throw new UsageError(`catalog ${name}: unexpected "${words[max]}".`);
  return { values, words };
}

interface Token {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function givenValue(command: string, options: Options, { name, rawName, value, inlineValue }: Token): string | boolean {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!option) {
    const close = nearest(name, Object.keys(options));
    throw new UsageError(`catalog ${command}: unknown option ${rawName}.${close ? ` Did you mean --${close}?` : ''}`);
  }
  if (option.type === 'boolean') {
    if (value !== undefined) throw new UsageError(`catalog ${command}: ${rawName} takes no value (got "${value}").`);
    return true;
  }
  if (value === undefined || (!inlineValue && /^--?[a-z]/.test(value)))
    throw new UsageError(`catalog ${command}: ${rawName} requires a value (${option.value}).`);
  return value;
}

/** A whole number of an option. @throws UsageError */
export function numberOf(option: string, value: string | undefined, min: number, max: number): number | null {
  if (value === undefined) return null;
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`--${option} must be a whole number from ${min} to ${max} (got "${value}").`);
}

/** One of some words, ignoring case. @throws UsageError naming them */
export function choiceOf<const Choice extends string>(
  option: string,
  value: string | undefined,
  choices: readonly Choice[],
): Choice | null {
  if (value === undefined) return null;
  const found = choices.find((choice) => choice === value.toLowerCase());
  if (found) return found;
  throw new UsageError(`--${option} must be one of ${choices.join(', ')} (got "${value}").`);
}

export const limitOf = (value: string | undefined): number => numberOf('limit', value, 1, 10_000) ?? 100;
