/** Fields for a picture of an organization, a group or a user. */
import type { FormFields } from './form-texts.ts';
import { FILES } from './submitted.ts';
import type { Texts as Messages } from './texts.ts';

export const pictureFields = (t: Messages['t']): FormFields => ({
  imageUrl: { label: t('edit.picture'), hint: t('edit.pictureHint') },
  [FILES]: { label: t('edit.upload'), kind: 'file', hint: t('edit.uploadHint') },
});
