/** The rule of names that stand in addresses: those of datasets, groups, organizations and users. Pure. */

/** Characters of a name. */
export const SLUG_LENGTH = { min: 2, max: 100 } as const;

export interface SlugRule {
  /** Words that addresses of pages begin with. */
  readonly reserved: ReadonlySet<string>;
  /** Whether capitals are taken too. */
  readonly mayHaveCapitals?: boolean;
}

/** Why something cannot have this name, in the words that clients of the legacy API know: the first fault; none where it can. */
export function slugFaults(name: string, { reserved, mayHaveCapitals = false }: SlugRule): string[] {
  if (name === '') return ['Missing value'];
  if (reserved.has(name)) return ['That name cannot be used'];
  if (name.length < SLUG_LENGTH.min) return [`Must be at least ${SLUG_LENGTH.min} characters long`];
  if (name.length > SLUG_LENGTH.max) return [`Name must be a maximum of ${SLUG_LENGTH.max} characters long`];
  return (mayHaveCapitals ? /^[A-Za-z0-9_-]*$/ : /^[a-z0-9_-]*$/).test(name)
    ? []
    : ['Must be purely lowercase alphanumeric (ascii) characters and these symbols: -_'];
}
