import { ActionSiteReadDocument, ActionStatusShowDocument } from '../../../src/generated/operations.ts';
import { action } from '../define.ts';
import { ref } from '../schema.ts';

export const siteActions = {
  site_read: action({
    kind: 'read',
    summary: 'Checks whether the caller may use the site.',
    returns: 'True.',
    answers: { const: true },
    document: ActionSiteReadDocument,
    params: {},
    variables: () => ({}),
    result: ({ site }) => site.readable,
  }),
  status_show: action({
    kind: 'read',
    summary: 'Shows the settings of the site that clients need.',
    returns:
      'Dictionary: `site_title`, `site_description`, `site_url`, `ckan_version` (level of the contract), `catalog_version` ' +
      '(of this software), `error_emails_to`, `locale_default` and `extensions` (enabled plugins).',
    answers: ref('Status'),
    document: ActionStatusShowDocument,
    params: {},
    variables: () => ({}),
    result: ({ site }) => site,
  }),
};
