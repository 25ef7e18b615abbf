/** Parameters of the legacy actions, for their help. facades/shared/legacy parses the dictionaries. */

import { datasetParams, raw } from '../dataset/params.ts';
import { groupParams } from '../group/inputs.ts';
import { text } from '../params.ts';
import { either, listOf, OBJECT, object, TEXT } from '../schema.ts';

const extras = raw('dictionary', 'Free keys with their values (texts).', OBJECT);

export const legacyDatasetParams = {
  ...datasetParams,
  tags: raw('list of strings', 'Names of free tags, as a list or as words of one text.', either(listOf(TEXT), TEXT)),
  groups: raw('list of strings', 'Ids of existing groups.', listOf(TEXT)),
  extras,
  download_url: text('Address of the only resource, where `resources` has none.'),
};

export const legacyGroupParams = {
  ...groupParams,
  packages: raw('list of strings', 'Ids or names of datasets to file under it.', listOf(TEXT)),
  groups: raw(
    'list of strings',
    'Names of groups above it; dictionaries too.',
    listOf(either(TEXT, object({ name: TEXT }))),
  ),
  extras,
};
