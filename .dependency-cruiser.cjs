/** Who may import whom. Part of `npm run check`; the reasons stand in ARCHITECTURE.md. */

/**
 * Features in order: a service may use the services of features before its own, never of later ones. A new feature is added
 * here, at its place.
 */
const ORDER = [
  'catalog/license',
  'changes',
  'catalog/file',
  'search/index',
  'catalog/document',
  'catalog/tag',
  'catalog/vocabulary',
  'catalog/translation',
  'accounts/identity',
  'accounts/user',
  'accounts/attempt',
  'accounts/session',
  'accounts/recovery',
  'accounts/registration',
  'accounts/token',
  'catalog/group',
  'accounts/invitation',
  'jobs',
  'loading/ask',
  'catalog/view',
  'catalog/dataset',
  'catalog/resource',
  'links',
  'datastore',
  'catalog/name',
  'catalog/revision',
  'catalog/rating',
  'catalog/related',
  'accounts/role',
  'accounts/follower',
  'catalog/task',
  'loading/table',
  'catalog/activity',
  'accounts/dashboard',
  'feed',
  'webhooks',
  'search/solr',
  'search/find',
  'catalog/site',
  'harvest',
  'statistics',
  'quality',
  'operations',
];

/** Files matching `from` import only from paths matching `to`, among our own files. */
const only = (name, from, to, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: from },
  to: { path: '^(src|facades|schema|prisma|test)/', pathNot: to },
});

const never = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });

/** Services of every feature after the nth are closed to the nth. */
const laterServices = ORDER.slice(0, -1).map((feature, index) =>
  never(
    `order-${feature.replace('/', '-')}`,
    { path: `^src/${feature}/.*\\.service\\.ts$` },
    { path: `^src/(${ORDER.slice(index + 1).join('|')})/.*\\.service\\.ts$` },
    'services know only earlier features',
  ),
);

module.exports = {
  forbidden: [
    never(
      'no-circles',
      { pathNot: '^src/generated/' },
      { circular: true, viaOnly: { pathNot: '^src/generated/' } },
      'no circles anywhere',
    ),
    only(
      'facades-speak-graphql',
      '^facades/',
      '^(facades/|src/generated/(operations|texts|islands)|src/graph/(run|server|subscriptions/subscriptions)\\.ts$|src/kernel/(errors|json|json-size|text|connection|call|dataset-fields|mutation|namespaces|counts|line-result|request|root|settings|time|usage|version)\\.ts$|src/infra/(concurrency/lru|files/(names|types)|markdown)\\.ts$|src/records/form/)',
      'facades hold tables and documents; they know neither services nor stores',
    ),
    never(
      'no-facade-to-facade',
      { path: '^facades/([^/]+)/' },
      { path: '^facades/', pathNot: '^facades/($1|shared)/' },
      'facades share only facades/shared',
    ),
    only(
      'resolvers-call-services',
      '^src/((?:catalog|accounts)/[^/]+|[^/]+)/.*\\.resolvers\\.ts$',
      '(^src/$1/(?!.*\\.(store|sql|policy|rules)\\.ts$)|^src/generated/graph\\.ts$|^src/(kernel|infra)/|^src/graph/node/)',
      'a resolver is one call of its own service',
    ),
    never(
      'only-the-app-knows-facades',
      { path: '^src/', pathNot: '^src/(app\\.ts$|http/|cli/)' },
      { path: '^facades/' },
      'requests come in through facades; nothing inside needs one',
    ),
    only(
      'record-forms-are-pure',
      '^src/records/form/',
      '^src/(records/form/|kernel/|generated/operations)',
      'facades and imports share how a dictionary is read; reading one needs no catalog',
    ),
    only(
      'records-speak-graphql',
      '^src/records/(?!import/)',
      '^src/(records/|kernel/|generated/operations|graph/run\\.ts$|catalog/document/project\\.ts$)',
      'records are read and written by operations, as by clients',
    ),
    never(
      'services-know-no-graph',
      {
        path: '^src/(catalog|accounts|changes|feed|webhooks|search|datastore|jobs|links|loading|statistics|quality|operations)/',
        pathNot: '\\.(resolvers|loaders)\\.ts$',
      },
      { path: '(\\.(resolvers|loaders)\\.ts$|^src/graph/|^src/generated/operations|^facades/)' },
      'services, rules and stores know nothing of GraphQL',
    ),
    never(
      'policies-and-rules-are-pure',
      { path: '\\.(policy|rules)\\.ts$' },
      {
        path: '(\\.(store|sql|service|loaders)\\.ts$|^src/generated/prisma|^(fs|http|net|pg|node:.*)$)',
        dependencyTypesNot: ['type-only'],
      },
      'no input, no output: facts come as arguments',
    ),
    never(
      'stores-touch-only-the-database',
      { path: '\\.(store|sql|loaders)\\.ts$' },
      { path: '\\.(service|rules)\\.ts$', dependencyTypesNot: ['type-only'] },
      'stores hold no rule and no step',
    ),
    never(
      'prisma-stays-in-stores',
      { path: '^(src|facades)/', pathNot: '(\\.store\\.ts$|^src/infra/postgres/db\\.ts$|^src/generated/)' },
      { path: '^src/generated/prisma' },
      'only stores know Prisma',
    ),
    never(
      'pg-stays-below-stores',
      { path: '^(src|facades)/', pathNot: '^src/(infra|embedded|migrate|cli|generated)/' },
      { path: '(^|/)node_modules/(pg|@prisma)(/|$)|^(pg|@prisma/.*)$' },
      'stores get a database; only src/infra, migrations and commands open one',
    ),
    only(
      'stores-of-bytes-stand-alone',
      '^src/blobs/',
      '^src/(blobs|kernel|infra)/',
      'bytes have no meaning where they are kept; who may read them is decided by features',
    ),
    never(
      'only-the-top-chooses-a-store-of-bytes',
      { path: '^(src|facades)/', pathNot: '^src/(blobs/|app\\.ts$|cli/)' },
      { path: '^src/blobs/' },
      'features see the interface, call.stores.blobs',
    ),
    only(
      'metrics-know-no-feature',
      '^src/monitor/',
      '^src/(monitor|kernel|infra)/|^src/operations/recorder\\.ts$',
      'features add to counters by call.process.meter; only the top asks for the page',
    ),
    never(
      'only-the-top-publishes-metrics',
      { path: '^(src|facades)/', pathNot: '^src/(monitor/|http/|app\\.ts$)' },
      { path: '^src/monitor/' },
      'features see the interface, call.process.meter',
    ),
    only('mail-stands-alone', '^src/mail/', '^src/(mail|kernel|infra)/', 'mail has no meaning where it is sent'),
    never(
      'only-the-top-chooses-a-mailer',
      { path: '^(src|facades)/', pathNot: '^src/(mail/|app\\.ts$)' },
      { path: '^src/mail/' },
      'features see the interface, call.process.mail',
    ),
    only(
      'kernel-and-infra-know-no-feature',
      '^src/(kernel|infra)/',
      '^src/(kernel|infra|generated/prisma)/',
      'the kernel and infra are below everything',
    ),
    only(
      'graph-knows-features-by-their-edges',
      '^src/graph/',
      '(^src/(graph|generated|kernel|infra)/|\\.(resolvers|loaders)\\.ts$)',
      'the graph puts resolvers and loaders together',
    ),
    only(
      'embedded-stands-alone',
      '^src/(embedded|migrate)/',
      '^src/(embedded|migrate|kernel|infra)/',
      'databases are started before there is a catalog',
    ),
    never(
      'nobody-imports-the-top',
      { path: '^(src|facades)/', pathNot: '^src/(cli/|main\\.ts$)' },
      { path: '^(src/(app|main)\\.ts$|src/cli/)' },
      'app.ts and the commands are the top',
    ),
    never('nobody-imports-main', {}, { path: '^src/main\\.ts$' }, 'main.ts is only started'),
    never('sources-know-no-tests', { path: '^(src|facades)/' }, { path: '^(test|bench)/' }, 'nothing imports test/'),
    never(
      'only-what-is-declared',
      { path: '^(src|facades)/' },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
      'packages must stand in package.json',
    ),
    never(
      'nothing-unresolvable',
      { pathNot: '^test/compat/clients/' }, // their packages are installed by the tests that run them
      { couldNotResolve: true, pathNot: '(^@graphql-typed-document-node/core$|^\\.\\./dist/)' }, // dist/ may not be built yet
      'every import leads somewhere',
    ),
    ...laterServices,
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
