import {
  ActionVocabularyCreateDocument,
  ActionVocabularyDeleteDocument,
  ActionVocabularyListDocument,
  ActionVocabularyShowDocument,
  ActionVocabularyUpdateDocument,
} from '../../../src/generated/operations.ts';
import { action } from '../define.ts';
import { required, text } from '../params.ts';
import { listOf, NULL, ref } from '../schema.ts';
import { defined, inData, notExpected, tagNames } from '../tag/inputs.ts';

const shown = 'Dictionary: `id`, `name`, and `tags`, a list of tag dictionaries, sorted by name.';

export const vocabularyActions = {
  vocabulary_list: action({
    kind: 'read',
    summary: 'Lists all vocabularies with their tags, sorted by name.',
    returns: 'List of dictionaries as vocabulary_show returns them.',
    answers: listOf(ref('Vocabulary')),
    document: ActionVocabularyListDocument,
    params: {},
    variables: () => ({}),
    result: ({ vocabularyList }) => vocabularyList,
  }),
  vocabulary_show: action({
    kind: 'read',
    summary: 'Shows one vocabulary with its tags.',
    returns: shown,
    answers: ref('Vocabulary'),
    document: ActionVocabularyShowDocument,
    params: { id: inData('Id or name of the vocabulary.') },
    variables: (p) => ({ id: p.id }),
    result: ({ vocabulary }) => withoutVersion(vocabulary),
    version: ({ vocabulary }) => vocabulary?.version,
  }),
  vocabulary_create: action({
    kind: 'write',
    summary: 'Creates a vocabulary with its tags. System administrators only.',
    returns: shown,
    answers: ref('Vocabulary'),
    document: ActionVocabularyCreateDocument,
    params: {
      name: required(text('2 to 100 characters, unique.')),
      tags: tagNames('Its tags: each has a `name`.'),
      id: notExpected('Must be omitted: the server sets it.'),
    },
    variables: (p) => ({ input: { name: p.name, tags: p.tags ?? [] } }),
    result: ({ createVocabulary }) => createVocabulary.vocabulary!,
  }),
  vocabulary_update: action({
    kind: 'write',
    summary:
      'Changes the name or tags of a vocabulary. Omitted parameters keep their value. System administrators only.',
    returns: shown,
    answers: ref('Vocabulary'),
    document: ActionVocabularyUpdateDocument,
    params: {
      id: inData('Id or name of the vocabulary.'),
      name: text('The new name: 2 to 100 characters, unique.'),
      tags: tagNames('The new list of tags. Tags no longer listed are removed from all datasets.'),
    },
    variables: ({ id, name, tags }, _raw, expectedVersion) => ({
      input: defined({ id, name, tags, expectedVersion }),
    }),
    result: ({ updateVocabulary }) => withoutVersion(updateVocabulary.vocabulary!),
    version: ({ updateVocabulary }) => updateVocabulary.vocabulary?.version,
  }),
  vocabulary_delete: action({
    kind: 'write',
    summary: 'Deletes a vocabulary with its tags and removes them from all datasets. System administrators only.',
    returns: 'Null.',
    answers: NULL,
    document: ActionVocabularyDeleteDocument,
    params: { id: inData('Id or name of the vocabulary.') },
    variables: (p, _raw, expectedVersion) => ({ input: { id: p.id, expectedVersion } }),
    result: () => null,
  }),
};

/** The wire dictionary; the version is in the ETag. */
const withoutVersion = <T extends { version: number }>({ version: _version, ...dictionary }: T): Omit<T, 'version'> =>
  dictionary;
