/** The rule for names in URLs: those of datasets, groups, organizations and users. Pure. */

/** Characters of a name. */
export const SLUG_LENGTH = { min: 2, max: 100 } as const;

export interface SlugRule {
  /** First segments of page paths. */
  readonly reserved: ReadonlySet<string>;
  /** Whether capitals are allowed. */
  readonly mayHaveCapitals?: boolean;
}

/** Why a name is invalid, in the texts that legacy API clients know: the first fault; empty for a valid name. */
export function slugFaults(name: string, { reserved, mayHaveCapitals = false }: SlugRule): string[] {
  if (name === '') return ['Missing value'];
  if (reserved.has(name)) return ['That name cannot be used'];
  if (name.length < SLUG_LENGTH.min) return [`Must be at least ${SLUG_LENGTH.min} characters long`];
  if (name.length > SLUG_LENGTH.max) return [`Name must be a maximum of ${SLUG_LENGTH.max} characters long`];
  return (mayHaveCapitals ? /^[A-Za-z0-9_-]*$/ : /^[a-z0-9_-]*$/).test(name)
    ? []
    : ['Must be purely lowercase alphanumeric (ascii) characters and these symbols: -_'];
}
