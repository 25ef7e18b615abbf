import {
  ActionOptionListDocument,
  ActionOptionShowDocument,
  ActionOptionsUpdateDocument,
} from '../../../src/generated/operations.ts';
import { action } from '../define.ts';
import { text } from '../params.ts';
import { listOf, OBJECT, TEXT } from '../schema.ts';
import { byNameSent, optionChanges, optionName } from './inputs.ts';

export const optionActions = {
  config_option_list: action({
    kind: 'read',
    summary: 'Lists the settings that can be shown and changed while the site runs; system administrators only.',
    differs:
      'The setting `catalog.site_url` is listed, but cannot be changed at run time: file and environment say it.',
    returns: 'List of names.',
    answers: listOf(TEXT),
    document: ActionOptionListDocument,
    params: {},
    variables: () => ({}),
    result: ({ siteOptions }) => siteOptions.map((option) => option.name),
  }),
  config_option_show: action({
    kind: 'read',
    summary: 'Shows a setting that can be changed while the site runs; system administrators only.',
    returns: 'Its value as text.',
    answers: TEXT,
    document: ActionOptionShowDocument,
    params: {
      id: text('Name of the setting, such as catalog.site_title.'),
      key: text('Another name of id, as older clients call it.'),
    },
    anyOf: [['id'], ['key']],
    variables: (p) => ({ name: optionName(p.id ?? p.key ?? '') }),
    result: ({ siteOption }) => String(siteOption.value),
  }),
  config_option_update: action({
    kind: 'write',
    summary: 'Changes settings while the site runs, at once in every process; system administrators only.',
    differs:
      'The setting `catalog.site_url` is refused unless it stays the same: file and environment say it. Only `catalog.site_title` and `catalog.site_description` change pages; the others are kept and shown, and have no effect yet.',
    returns: 'Dictionary of the settings given with their new values.',
    answers: OBJECT,
    document: ActionOptionsUpdateDocument,
    params: {
      key: text(
        'Stands for the names of settings, such as catalog.site_title, each with its new value; null undoes a change.',
      ),
    },
    variables: (_p, raw) => ({ input: { options: optionChanges(raw) } }),
    result: ({ updateSiteOptions }, _p, raw) => byNameSent(updateSiteOptions.options!, raw),
  }),
};
