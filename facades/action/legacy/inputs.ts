/** Parameters of the legacy actions, for their help. facades/shared/legacy parses the dictionaries. */

import { datasetParams, raw } from '../dataset/params.ts';
import { groupParams } from '../group/inputs.ts';
import { text } from '../params.ts';
import { either, listOf, OBJECT, object, TEXT } from '../schema.ts';

const extras = raw('dictionary', 'Extras: keys with string values.', OBJECT);

export const legacyDatasetParams = {
  ...datasetParams,
  tags: raw(
    'list of strings',
    'Names of free tags, as a list, or as one text separated by spaces.',
    either(listOf(TEXT), TEXT),
  ),
  groups: raw('list of strings', 'Ids of existing groups.', listOf(TEXT)),
  extras,
  download_url: text('URL of a single resource. Used if `resources` is empty.'),
};

export const legacyGroupParams = {
  ...groupParams,
  packages: raw('list of strings', 'Ids or names of the datasets of the group.', listOf(TEXT)),
  groups: raw(
    'list of strings',
    'Names of parent groups, or dictionaries.',
    listOf(either(TEXT, object({ name: TEXT }))),
  ),
  extras,
};
