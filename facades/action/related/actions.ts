import {
  ActionRelatedCreateDocument,
  ActionRelatedDeleteDocument,
  ActionRelatedListDocument,
  ActionRelatedShowDocument,
  ActionRelatedUpdateDocument,
} from '../../../src/generated/operations.ts';
import { relatedDict, shownRelatedDict } from '../../shared/wire/related.ts';
import { action } from '../define.ts';
import { flag, optionalFlag, present, required, text } from '../params.ts';
import { about, listOf, NULL, NUMBER, object, orNull, type Schema, TEXT } from '../schema.ts';
import { defined } from '../tag/inputs.ts';
import { datasetDict, relatedOrder } from './inputs.ts';

const RELATED = {
  id: TEXT,
  title: TEXT,
  type: TEXT,
  description: orNull(TEXT),
  url: orNull(TEXT),
  image_url: orNull(TEXT),
  featured: about('0 or 1.', NUMBER),
  view_count: NUMBER,
  created: TEXT,
  owner_id: orNull(TEXT),
};
const related: Schema = object(RELATED);

const shown =
  'Dictionary: `id`, `title`, `type`, `description`, `url`, `image_url`, `featured` (0 or 1), `view_count`, `created` and `owner_id`.';
const fields = {
  description: text('Description of the item, in Markdown.'),
  url: text('URL of the item (http or https).'),
  image_url: text('URL of a picture (http or https).'),
};
const id = present(text('Id of the related item.'));

export const relatedActions = {
  related_show: action({
    kind: 'read',
    summary: 'Shows a related item to callers who may read its dataset.',
    differs: 'Shows an item only to callers who may read its dataset.',
    returns: `${shown} \`__extras\` repeats view_count for older clients.`,
    answers: object({ ...RELATED, __extras: object({ view_count: NUMBER }) }),
    document: ActionRelatedShowDocument,
    params: { id },
    variables: (p) => ({ id: p.id }),
    result: ({ relatedItem }) => shownRelatedDict(relatedItem),
    version: ({ relatedItem }) => relatedItem?.version,
  }),
  related_list: action({
    kind: 'read',
    summary:
      'Lists the related items of a dataset, newest first. Without a dataset, lists all items that the caller may read, oldest first.',
    differs:
      'Lists items only to callers who may read their dataset. An unknown dataset is an error. `type_filter`, `sort` and `featured` also apply to the items of a dataset.',
    returns: 'List of dictionaries as related_create returns them.',
    answers: listOf(related),
    document: ActionRelatedListDocument,
    params: {
      id: text('Id or name of a dataset.'),
      dataset: datasetDict('The dataset, as a dictionary with `id` or `name`. Takes precedence over `id`.'),
      type_filter: text('Only items of this type.'),
      sort: relatedOrder('Order: view_count_asc, view_count_desc, created_asc or created_desc.'),
      featured: flag('Only featured items.'),
    },
    variables: (p) => ({ dataset: p.dataset || p.id, type: p.type_filter, featured: p.featured, orderBy: p.sort }),
    result: ({ relatedItemList }) => relatedItemList.map(relatedDict),
  }),
  related_create: action({
    kind: 'write',
    summary: 'Adds a related item, owned by the caller.',
    differs: 'The caller must be able to read the dataset. A failed create stores nothing.',
    returns: shown,
    answers: related,
    document: ActionRelatedCreateDocument,
    params: {
      title: required(text('Title of the item.')),
      type: required(
        text('Type of the item: any word, such as api, application, idea, news_article, paper, post or visualization.'),
      ),
      id: text('Id of the item. Default: a new UUID.'),
      ...fields,
      dataset_id: text('Id or name of the dataset that the item uses. The caller must be able to read it.'),
      featured: flag('Whether the site features the item. System administrators only.'),
    },
    variables: ({ id, dataset_id, image_url, ...p }) => ({
      input: defined({ databaseId: id || undefined, datasetId: dataset_id, imageUrl: image_url, ...p }),
    }),
    result: ({ createRelatedItem }) => relatedDict(createRelatedItem.relatedItem!),
  }),
  related_update: action({
    kind: 'write',
    summary: 'Changes the given fields of a related item. Only its owner and system administrators may call it.',
    returns: shown,
    answers: related,
    document: ActionRelatedUpdateDocument,
    params: {
      id,
      title: text('Title of the item.'),
      type: text('Any word, as for related_create.'),
      ...fields,
      featured: optionalFlag('Whether the site features the item. System administrators only.'),
    },
    variables: ({ id, image_url, ...p }, _raw, expectedVersion) => ({
      input: defined({ id, imageUrl: image_url, expectedVersion, ...p }),
    }),
    result: ({ updateRelatedItem }) => relatedDict(updateRelatedItem.relatedItem!),
    version: ({ updateRelatedItem }) => updateRelatedItem.relatedItem?.version,
  }),
  related_delete: action({
    kind: 'write',
    summary: 'Deletes a related item. Only its owner, editors of its dataset and system administrators may call it.',
    returns: 'Null.',
    answers: NULL,
    document: ActionRelatedDeleteDocument,
    params: { id },
    variables: (p, _raw, expectedVersion) => ({ input: { id: p.id, expectedVersion } }),
    result: () => null,
  }),
};
