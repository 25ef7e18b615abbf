/**
 * Rules of graphql-eslint for this schema: all of its rules for schemas and for Relay, with these exceptions. Descriptions
 * of fields, arguments and values are checked by test/house/sdl.test.ts. `npm run check` applies them
 * (scripts/lint-schema.mjs).
 */

/** Settings of rules, without the prefix `@graphql-eslint/`. */
export const RULES = {
  // Related elements stand together, the most used first.
  alphabetize: 'off',
  // Descriptions of one line are inline, longer ones are blocks. The rule allows only one of both.
  'description-style': 'off',
  // Each feature has its own file, which extends the root types.
  'no-root-type': 'off',
  // Mutations return payloads with errors, which are never null. test/house/graph.test.ts applies the rule for queries, which has
  // exceptions that @semanticNonNull does not cover.
  'require-nullable-result-in-root': 'off',
  // Payloads hold the changed objects. A query in the payload would have a cost of its own.
  'require-field-of-type-query-in-mutation-result': 'off',
  // Values such as pages, payloads and facets have no id. The interface Node requires it for objects.
  'strict-id-in-types': 'off',
  // Short lists that are complete are plain lists: test/house/lists.test.ts names their maximum.
  'relay-edge-types': [
    'error',
    { withEdgeSuffix: true, shouldImplementNode: false, listTypeCanWrapOnlyEdgeType: false },
  ],
  'relay-arguments': ['error', { includeBoth: false }],
};

/** Names that break a rule for a reason: file, rule, names. */
export const EXCEPTIONS = [
  // The specification of Apollo Federation gives these names.
  {
    file: 'federation.graphql',
    rule: 'naming-convention',
    names: ['_service', '_entities', '_Service', '_Any', '_Entity'],
  },
  // A query in SQL, and a type of view: both words have their own meaning here.
  { file: 'table.graphql', rule: 'naming-convention', names: ['tableQuery'] },
  { file: 'view.graphql', rule: 'naming-convention', names: ['ResourceViewType'] },
  // CKAN's names of a setting and of a field.
  { file: 'base.graphql', rule: 'no-typename-prefix', names: ['siteId'] },
  { file: 'resource.graphql', rule: 'no-typename-prefix', names: ['resourceType'] },
];
