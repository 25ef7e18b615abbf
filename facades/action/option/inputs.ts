/** Wire format of options. Older clients prefix names with `ckan.`; results use the requested names. */
import type { SiteOptionInput } from '../../../src/generated/operations.ts';
import type { Raw } from '../define.ts';
import { asText } from '../params.ts';

export const optionName = (name: string): string => name.replace(/^ckan\./, 'catalog.');

/** Every key is an option. */
export const optionChanges = (raw: Raw): SiteOptionInput[] =>
  Object.entries(raw).map(([name, value]) => ({
    name: optionName(name),
    value: value === undefined || value === null ? null : asText(value),
  }));

/** Values by the names sent. */
export function byNameSent(options: readonly { name: string; value: unknown }[], raw: Raw): Record<string, unknown> {
  const values = new Map(options.map(({ name, value }) => [name, value]));
  return Object.fromEntries(Object.keys(raw).map((name) => [name, values.get(optionName(name))]));
}
