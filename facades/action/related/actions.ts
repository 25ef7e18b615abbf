import {
  ActionRelatedCreateDocument,
  ActionRelatedDeleteDocument,
  ActionRelatedListDocument,
  ActionRelatedShowDocument,
  ActionRelatedUpdateDocument,
} from '../../../src/generated/operations.ts';
import { relatedDict, shownRelatedDict } from '../../shared/wire/related.ts';
import { action } from '../define.ts';
import { flag, present, required, text } from '../params.ts';
import { about, listOf, NULL, NUMBER, object, orNull, type Schema, TEXT } from '../schema.ts';
import { defined } from '../tag/inputs.ts';
import { datasetDict, optionalFlag, relatedOrder } from './inputs.ts';

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
  description: text('What it is, in Markdown.'),
  url: text('Where it is: an http or https address.'),
  image_url: text('A picture of it: an http or https address.'),
};
const id = present(text('Id of the related item.'));

export const relatedActions = {
  related_show: action({
    kind: 'read',
    summary: 'Shows a work made from the data, to those who may read its dataset.',
    differs: 'An item of a dataset is shown to those who may read the dataset only.',
    returns: `${shown} \`__extras\` holds view_count again, as older clients know it.`,
    answers: object({ ...RELATED, __extras: object({ view_count: NUMBER }) }),
    document: ActionRelatedShowDocument,
    params: { id },
    variables: (p) => ({ id: p.id }),
    result: ({ relatedItem }) => shownRelatedDict(relatedItem!),
    version: ({ relatedItem }) => relatedItem?.version,
  }),
  related_list: action({
    kind: 'read',
    summary:
      'Lists works made from the data: of a dataset, the newest first, or all that the caller may see, the oldest first.',
    differs:
      'Items are listed for those who may read their dataset only, an unknown dataset is not found, and `type_filter`, `sort` and `featured` count for the items of a dataset too.',
    returns: 'List of dictionaries as related_create returns them.',
    answers: listOf(related),
    document: ActionRelatedListDocument,
    params: {
      id: text('Id or name of a dataset.'),
      dataset: datasetDict('The dataset as a dictionary with `id` or `name`; it counts before `id`.'),
      type_filter: text('Only items of this type.'),
      sort: relatedOrder('Order: view_count_asc, view_count_desc, created_asc or created_desc.'),
      featured: flag('Only items that the site puts forward.'),
    },
    variables: (p) => ({ dataset: p.dataset || p.id, type: p.type_filter, featured: p.featured, orderBy: p.sort }),
    result: ({ relatedItemList }) => relatedItemList.map(relatedDict),
  }),
  related_create: action({
    kind: 'write',
    summary: "Adds a work made from the data; it is the caller's.",
    differs: 'The caller must be able to read the dataset. A create that fails leaves nothing behind.',
    returns: shown,
    answers: related,
    document: ActionRelatedCreateDocument,
    params: {
      title: required(text('What to show people.')),
      type: required(text('Any word, such as api, application, idea, news_article, paper, post or visualization.')),
      id: text('Its id; chosen by the server when left out.'),
      ...fields,
      dataset_id: text('Id or name of the dataset it was made from; the caller must be able to read it.'),
      featured: flag('Whether the site puts it forward; system administrators only.'),
    },
    variables: ({ id, dataset_id, image_url, ...p }) => ({
      input: defined({ databaseId: id || undefined, datasetId: dataset_id, imageUrl: image_url, ...p }),
    }),
    result: ({ createRelatedItem }) => relatedDict(createRelatedItem.relatedItem!),
  }),
  related_update: action({
    kind: 'write',
    summary: 'Changes what is given of a related item; its owner and system administrators only.',
    returns: shown,
    answers: related,
    document: ActionRelatedUpdateDocument,
    params: {
      id,
      title: text('What to show people.'),
      type: text('Any word, as for related_create.'),
      ...fields,
      featured: optionalFlag('Whether the site puts it forward; system administrators only.'),
    },
    variables: ({ id, image_url, ...p }, _raw, expectedVersion) => ({
      input: defined({ databaseId: id, imageUrl: image_url, expectedVersion, ...p }),
    }),
    result: ({ patchRelatedItem }) => relatedDict(patchRelatedItem.relatedItem!),
    version: ({ patchRelatedItem }) => patchRelatedItem.relatedItem?.version,
  }),
  related_delete: action({
    kind: 'write',
    summary: 'Deletes a related item; its owner, those who may change its dataset, and system administrators only.',
    returns: 'Null.',
    answers: NULL,
    document: ActionRelatedDeleteDocument,
    params: { id },
    variables: (p, _raw, expectedVersion) => ({ input: { databaseId: p.id, expectedVersion } }),
    result: () => null,
  }),
};
