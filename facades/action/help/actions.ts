import { notFound } from '../../../src/kernel/errors.ts';
import { special } from '../define.ts';
import { findAction, helpText, type Table } from '../help.ts';
import { present, text } from '../params.ts';
import { TEXT } from '../schema.ts';

/** help_show for a table of actions that includes help_show itself, so it takes a function. */
export const helpActions = (actions: () => Table) => ({
  help_show: special({
    kind: 'read',
    why: 'Answers from the action table itself; no data of the catalog is read.',
    summary: 'Shows the help text of an action.',
    returns: 'String: what the action does, its parameters, the result, and an example.',
    answers: TEXT,
    params: { name: present(text('Name of the action.')) },
    handle({ name }, _raw, { call }) {
      const row = findAction(actions(), name);
      if (!row) throw notFound('Action function not found');
      return helpText(name, row, call.settings['catalog.site_url']);
    },
  }),
});
