/** Every argument and input field that names an object takes its global id, and payloads return global ids of deleted objects. */
import { expect, it } from '@jest/globals';
import {
  type GraphQLArgument,
  type GraphQLInputField,
  getDirectiveValues,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { publicSchema, schema } from '../../src/graph/schema.ts';

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
const objects = types.filter(isObjectType);

/** Arguments and input fields that take strings or ids. */
const positions = types.flatMap((type): [string, GraphQLArgument | GraphQLInputField][] => {
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field]);
  if (!isObjectType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) =>
    field.args.map((arg): [string, GraphQLArgument] => [`${type.name}.${field.name}.${arg.name}`, arg]),
  );
});
const texts = positions.filter(([, { type }]) => ['String', 'ID'].includes(getNamedType(type).name));

const idOf = schema.getDirective('idOf')!;
const typesOf = ({ astNode }: GraphQLArgument | GraphQLInputField) =>
  (astNode && (getDirectiveValues(idOf, astNode)?.types as string[] | undefined)) ?? null;

/** Names of types with a global id, by the names of their arguments. */
const nouns = objects
  .filter((type) => String(type.getFields().id?.type) === 'ID!')
  .map(({ name }) => name[0]!.toLowerCase() + name.slice(1));
const isReference = ([place, at]: (typeof positions)[number]): boolean => {
  const name = place.split('.').at(-1)!;
  if (name === 'databaseId') return false; // for people, and the custom id of a new object
  return (
    /^ids?$|Ids?$|idOrName/.test(name) ||
    nouns.includes(name) ||
    nouns.includes(name.replace(/s$/, '')) ||
    /^(ownerOrganization|subject|object|source|domainObject|order)$/.test(name) ||
    /^(Global id|Ids? of|Id or name|By id)\b/i.test(at.description ?? '')
  );
};

/** References that take no global id, by reason. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  'Global ids of any type.': ['Query.node.id', 'Query.nodes.ids'],
  'Codes of a license register, not objects.': [
    'CreateDatasetInput.licenseId',
    'UpdateDatasetInput.licenseId',
    'ReplaceDatasetInput.licenseId',
  ],
  'An OpenID.': ['CreateUserInput.openId', 'UpdateUserInput.openId', 'ReplaceUserInput.openId'],
  'Ids of objects elsewhere, which jobs of other programs note.': [
    'Query.taskStatus.entityId',
    'Query.taskStatuses.entityId',
    'UpdateTaskStatusInput.entityId',
  ],
  'Names of free tags and of tags of a vocabulary, which the write creates.': [
    'CreateVocabularyInput.tags',
    'UpdateVocabularyInput.tags',
  ],
  'For the Action API: an object of several types, or `system`.': ['Query.roles.domainObject'],
  'Names, as facets give them.': [
    'DatasetConditions.groups',
    'DatasetConditions.organizations',
    'DatasetConditions.tags',
    'DatasetWhere.tag',
  ],
  'The secret of an upload, and ids of messages, which are no objects of the graph.': [
    'RedeliverWebhookInput.messages',
    'UploadInput.token',
  ],
  'A name of a field of the table.': ['TableFieldInput.id'],
  'A part of the updated document, by its path.': ['ResourceUploadInput.resource'],
  'User name or e-mail address: the user is not signed in.': ['RequestPasswordResetInput.user'],
};

it('takes global ids as references, except the listed ones', () => {
  const odd = texts.filter((at) => isReference(at) && !typesOf(at[1])).map(([place]) => place);
  expect(odd.sort()).toEqual(Object.values(OTHERS).flat().sort());
});

it('uses the type ID exactly where the types of its objects are named', () => {
  const odd = texts
    .filter(([, at]) => (getNamedType(at.type).name === 'ID') !== (typesOf(at) !== null))
    .map(([place]) => place);
  expect(odd.sort()).toEqual(['Query.node.id', 'Query.nodes.ids']);
});

it('names only types with a global id', () => {
  const named = new Set(positions.flatMap(([, at]) => typesOf(at) ?? []));
  const known = objects.filter((type) => String(type.getFields().id?.type) === 'ID!').map(({ name }) => name);
  expect([...named].filter((name) => !known.includes(name))).toEqual([]);
});

it('looks objects up by id, beside the identifiers that people type', () => {
  const lookUps = Object.values(schema.getQueryType()!.getFields()).filter(({ args }) =>
    args.some(({ name }) => name === 'databaseId'),
  );
  expect(lookUps.length).toBeGreaterThan(10);
  const odd = lookUps.filter(({ args }) => String(args.find(({ name }) => name === 'id')?.type) !== 'ID');
  expect(odd.map(({ name }) => name)).toEqual([]);
});

/** Strings called ids that do not identify an object of the graph. */
const OTHER_IDS: Readonly<Record<string, readonly string[]>> = {
  'A code of a license register, and an OpenID.': ['Dataset.licenseId', 'User.openId'],
  'Of this installation, of a record elsewhere, and of a message.': [
    'HarvestOrigin.recordId',
    'HarvestRemark.recordId',
    'Site.siteId',
    'WebhookDeadLetter.messageId',
    'WebhookPing.messageId',
  ],
};

it('describes fields with ids of the other APIs as such', () => {
  const odd = Object.values(publicSchema.getTypeMap())
    .filter((type) => isObjectType(type) || isInterfaceType(type))
    .flatMap((type) => Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const))
    .filter(([place, { type }]) => /Ids?$/.test(place) && getNamedType(type).name === 'String')
    .filter(([place, { description }]) => !place.endsWith('.databaseId') && !description?.includes('`databaseId`'))
    .map(([place]) => place);
  expect(odd.sort()).toEqual(Object.values(OTHER_IDS).flat().sort());
});

it('returns global ids in payloads', () => {
  const odd = objects
    .filter(({ name }) => name.endsWith('Payload'))
    .flatMap((type) => Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const))
    .filter(([place, { type }]) => /Ids?$/.test(place) && getNamedType(type).name !== 'ID')
    .map(([place]) => place);
  expect(odd).toEqual(['UnfollowObjectPayload.objectId']);
});
