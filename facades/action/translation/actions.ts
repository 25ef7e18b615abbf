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
    summary: 'Lists translations of terms, in the order of their creation.',
    returns: 'List of dictionaries: `term`, `term_translation` and `lang_code`.',
    answers: listOf(translated),
    document: ActionTermTranslationShowDocument,
    params: {
      terms: terms('A term, or a list of terms, matched exactly. An empty list means all.', true),
      lang_codes: terms('Languages, such as de. Default: all.', false),
    },
    variables: (p) => ({ terms: p.terms, languages: p.lang_codes }),
    result: ({ termTranslationList }) => termTranslationList,
  }),
  term_translation_update: action({
    kind: 'write',
    summary: 'Creates or replaces the translation of a term. System administrators only.',
    returns: 'The translation as a dictionary.',
    answers: translated,
    document: ActionTermTranslationUpdateDocument,
    params: {
      term: required(text('The text in the catalog.')),
      term_translation: required(text('The translated text.')),
      lang_code: required(text('Language of the translation, such as de.')),
    },
    variables: (p) => ({
      input: { translations: [{ term: p.term, translation: p.term_translation, language: p.lang_code }] },
    }),
    result: ({ setTermTranslations }) => setTermTranslations.translations![0],
  }),
  term_translation_update_many: action({
    kind: 'write',
    summary: 'Creates or replaces translations of terms, all or none. System administrators only.',
    returns: 'Dictionary: `success`, a sentence with the number of stored translations.',
    answers: object({ success: TEXT }),
    document: ActionTermTranslationUpdateDocument,
    params: { data: translations('Dictionaries with the parameters of term_translation_update.') },
    variables: (p) => ({ input: { translations: p.data } }),
    result: ({ setTermTranslations }) => ({ success: `${setTermTranslations.translations!.length} rows updated` }),
  }),
};
