/** Converts a view to the wire format: type-specific fields are beside the common ones. */
import type { ActionViewFragment } from '../../../src/generated/operations.ts';

export function viewDict({ config, fields, version: _version, ...view }: ActionViewFragment): Record<string, unknown> {
  return {
    ...(fields as Record<string, unknown>),
    ...(config === null ? {} : { config: JSON.stringify(config) }),
    ...view,
  };
}
