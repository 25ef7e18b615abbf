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
    summary: 'Lists the settings that can be changed at run time. System administrators only.',
    differs:
      'Lists `catalog.site_url`, but it cannot be changed at run time. It is set in the file or the environment.',
    returns: 'List of names.',
    answers: listOf(TEXT),
    document: ActionOptionListDocument,
    params: {},
    variables: () => ({}),
    result: ({ siteOptions }) => siteOptions.map((option) => option.name),
  }),
  config_option_show: action({
    kind: 'read',
    summary: 'Shows a setting that can be changed at run time. System administrators only.',
    returns: 'Value of the setting, as text.',
    answers: TEXT,
    document: ActionOptionShowDocument,
    params: {
      id: text('Name of the setting, such as catalog.site_title.'),
      key: text('Alias of `id` for older clients.'),
    },
    anyOf: [['id'], ['key']],
    variables: (p) => ({ name: optionName(p.id ?? p.key ?? '') }),
    result: ({ siteOption }) => String(siteOption.value),
  }),
  config_option_update: action({
    kind: 'write',
    summary: 'Changes settings at run time, in all processes. System administrators only.',
    differs:
      'A different `catalog.site_url` is refused, since the file or the environment sets it. All settings change pages.',
    returns: 'Dictionary of the changed settings with their new values.',
    answers: OBJECT,
    document: ActionOptionsUpdateDocument,
    params: {
      key: text(
        'Name of a setting, such as catalog.site_title, with its new value. Null restores the default. Several settings can be given.',
      ),
    },
    variables: (_p, raw) => ({ input: { options: optionChanges(raw) } }),
    result: ({ updateSiteOptions }, _p, raw) => byNameSent(updateSiteOptions.options!, raw),
  }),
};
