/** Generates docs/schema.md, the tables of the catalog with ER diagrams. Called by scripts/generate.mjs. */

/** Every model belongs to one part; a diagram shows a part and its relations to other parts. */
const PARTS = {
  Datasets: 'Dataset Resource ResourceView DatasetExtra DatasetGroup DatasetRelationship Tag DatasetTag Vocabulary',
  'Read model and search': 'DatasetDocument DatasetSearch SearchValue',
  Operations: 'ServerProcess ServerMinute ReplicationMark',
  Statistics:
    'StatisticsCount StatisticsDimension StatisticsMonth PrunedMonth PrunedReader StatisticsObject StatisticsPending StatisticsCursor UsageBatch UsageDay UsageTotal UsageScope UsageSearch UsageCursor',
  Quality: 'DatasetQuality QualityCount QualityDay QualityPending',
  'Groups and organizations': 'Group GroupExtra GroupParent Membership',
  'Users and access':
    'User UserSession ApiToken PasswordKey SignInPlace Attempt IdempotencyKey RateBucket Dashboard Follower',
  'Related items, ratings and texts': 'RelatedItem Rating TermTranslation SiteOption TaskStatus',
  'Change log and history': 'Revision Change DatasetHistory RevisionGroup ActivityGroup',
  'Files and tables': 'ResourceFile ImageFile UploadTicket DiscardedFile TableLoad TableShape DiscardedTable',
  'Jobs and webhooks': 'Job JobHost Webhook WebhookDeadLetter',
  Links: 'ResourceLink ResourceLinkEvent LinkHost LinkRobots',
  Harvests: 'HarvestSource HarvestRun HarvestRemark HarvestRecord HarvestMark TableClaim',
};

/** @throws Error when a model belongs to no part */
export function schemaPage({ models }) {
  const parts = Object.entries(PARTS).map(([title, names]) => [title, names.split(' ')]);
  const placed = new Set(parts.flatMap(([, names]) => names));
  const missing = models.filter(({ name }) => !placed.has(name)).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`scripts/schema-page.mjs: add ${missing.join(', ')} to a part`);
  const byName = new Map(models.map((model) => [model.name, model]));
  const sections = parts.flatMap(([title, names]) => {
    const found = names.map((name) => byName.get(name));
    return [`## ${title}`, diagram(found, byName), ...found.map((model) => tableOf(model, byName))];
  });
  return `${[
    '# Tables of the catalog',
    '`npm run generate` writes this page from `prisma/schema.prisma`. The diagrams show keys and relations; the tables show all columns that Prisma knows. `test/migrate/schema.test.ts` compares the schema with the migrated database, and lists the columns and indexes that only SQL knows.',
    'Types are those of Prisma; a `?` marks a column that may be null.',
    ...sections,
  ].join('\n\n')}\n`;
}

const tableNameOf = (model) => model.dbName ?? model.name;
const columnOf = (field) => field.dbName ?? field.name;
const columnsOf = (model) => model.fields.filter(({ kind }) => kind !== 'object');
const relationsOf = (model) => model.fields.filter(({ relationFromFields }) => relationFromFields?.length > 0);
const keyOf = (model) => model.primaryKey?.fields ?? model.fields.filter(({ isId }) => isId).map(({ name }) => name);
const isUniqueIn = (model, names) =>
  [keyOf(model), ...model.uniqueFields, ...model.fields.filter((it) => it.isUnique).map(({ name }) => [name])].some(
    (unique) => unique.length === names.length && unique.every((name) => names.includes(name)),
  );

function diagram(models, byName) {
  const entities = models.map((model) => {
    const keys = columnsOf(model).flatMap((field) => {
      const marks = marksOf(model, field);
      return marks.length > 0 ? [`    ${field.type} ${columnOf(field)} ${marks.join(', ')}`] : [];
    });
    return `  ${tableNameOf(model)} {\n${keys.join('\n')}\n  }`;
  });
  const relations = models.flatMap((model) =>
    relationsOf(model).map((field) => {
      const one = field.isRequired ? '||' : '|o';
      const many = isUniqueIn(model, field.relationFromFields) ? 'o|' : 'o{';
      return `  ${tableNameOf(byName.get(field.type))} ${one}--${many} ${tableNameOf(model)} : "${field.name}"`;
    }),
  );
  return ['```mermaid', 'erDiagram', ...entities, ...relations, '```'].join('\n');
}

function marksOf(model, field) {
  const isForeign = relationsOf(model).some(({ relationFromFields }) => relationFromFields.includes(field.name));
  return [
    keyOf(model).includes(field.name) && 'PK',
    isForeign && 'FK',
    field.isUnique && !keyOf(model).includes(field.name) && 'UK',
  ].filter(Boolean);
}

function tableOf(model, byName) {
  const rows = columnsOf(model).map((field) => {
    const type = `${field.type}${field.isList ? '[]' : ''}${field.isRequired ? '' : '?'}`;
    return `| \`${columnOf(field)}\` | ${type} | ${cell(meaningOf(model, field, byName))} |`;
  });
  const text = cell(model.documentation);
  return [
    `### ${tableNameOf(model)}`,
    `Model \`${model.name}\`. ${text}`,
    ['| Column | Type | Meaning |', '| --- | --- | --- |', ...rows].join('\n'),
  ].join('\n\n');
}

/** A foreign key links to its table. */
function meaningOf(model, field, byName) {
  const relation = relationsOf(model).find(({ relationFromFields }) => relationFromFields.includes(field.name));
  const target = relation && tableNameOf(byName.get(relation.type));
  return [target && `To [${target}](#${target}).`, field.documentation].filter(Boolean).join(' ');
}

const cell = (text) =>
  (text ?? '')
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|');
