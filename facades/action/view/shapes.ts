/** A view as the wire has it: the fields of its type stand beside those that all have. */
import type { ActionViewFragment } from '../../../src/generated/operations.ts';

export function viewDict({ config, fields, version: _version, ...view }: ActionViewFragment): Record<string, unknown> {
  return {
    ...(fields as Record<string, unknown>),
    ...(config === null ? {} : { config: JSON.stringify(config) }),
    ...view,
  };
}
