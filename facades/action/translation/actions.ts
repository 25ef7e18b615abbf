import {
  ActionTermTranslationShowDocument,
  ActionTermTranslationUpdateDocument,
} from '../../../src/generated/operations.ts';
import { action } from '../define.ts';
import { required, text } from '../params.ts';
import { listOf, object, TEXT } from '../schema.ts';
import { terms, translations } from './inputs.ts';

const translated = object({ term: TEXT, term_translation: TEXT, lang_code: TEXT });

export const translationActions = {
  term_translation_show: action({
    kind: 'read',
    summary: 'Lists translations of terms, in the order in which they came.',
    returns: 'List of dictionaries: `term`, `term_translation` and `lang_code`.',
    answers: listOf(translated),
    document: ActionTermTranslationShowDocument,
    params: {
      terms: terms('The terms, letter for letter, or one of them; an empty list stands for all.', true),
      lang_codes: terms('Languages, such as de; without it, all.', false),
    },
    variables: (p) => ({ terms: p.terms, languages: p.lang_codes }),
    result: ({ termTranslationList }) => termTranslationList,
  }),
  term_translation_update: action({
    kind: 'write',
    summary: 'Adds the translation of a term, or replaces it; system administrators only.',
    returns: 'The translation as a dictionary.',
    answers: translated,
    document: ActionTermTranslationUpdateDocument,
    params: {
      term: required(text('The text as the catalog has it.')),
      term_translation: required(text('The text in the other language.')),
      lang_code: required(text('The other language, such as de.')),
    },
    variables: (p) => ({
      input: { translations: [{ term: p.term, translation: p.term_translation, language: p.lang_code }] },
    }),
    result: ({ setTermTranslations }) => setTermTranslations.translations![0],
  }),
  term_translation_update_many: action({
    kind: 'write',
    summary: 'Adds or replaces translations of terms, all or none; system administrators only.',
    returns: 'Dictionary: `success`, a sentence that says how many were written.',
    answers: object({ success: TEXT }),
    document: ActionTermTranslationUpdateDocument,
    params: { data: translations('Dictionaries with the parameters of term_translation_update.') },
    variables: (p) => ({ input: { translations: p.data } }),
    result: ({ setTermTranslations }) => ({ success: `${setTermTranslations.translations!.length} rows updated` }),
  }),
};
