/** Validation of translations. Pure. */
import type { Problem } from '../../kernel/errors.ts';
import { lengthOf } from '../../kernel/text.ts';
import type { TranslationRecord } from './translation.sql.ts';

const LANGUAGE_MAX = 100;

/** All problems of the translations, by their index in the list. */
export const checkTranslations = (translations: readonly TranslationRecord[]): Problem[] =>
  translations.flatMap((translation, index) => {
    const empty = (['term', 'translation', 'language'] as const).filter((field) => translation[field] === '');
    const problems: Problem[] = empty.map((field) => ({
      path: ['translations', index, field],
      message: 'Missing value',
    }));
    if (lengthOf(translation.language, LANGUAGE_MAX) > LANGUAGE_MAX) {
      problems.push({
        path: ['translations', index, 'language'],
        message: `Must be at most ${LANGUAGE_MAX} characters long`,
      });
    }
    return problems;
  });
