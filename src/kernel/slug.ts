/** The rule of names that stand in addresses: those of datasets, groups, organizations and users. Pure. */

/** Characters of a name. */
const LENGTH = { min: 2, max: 100 } as const;

export interface SlugRule {
  /** Words that addresses of pages begin with. */
  readonly reserved: ReadonlySet<string>;
  /** Whether capitals are taken too. */
  readonly mayHaveCapitals?: boolean;
}

/** Why something cannot have this name, all of it in the words that clients of the legacy API know; none where it can. */
export function slugFaults(name: string, { reserved, mayHaveCapitals = false }: SlugRule): string[] {
  if (name === '') return ['Missing value'];
  if (reserved.has(name)) return ['That name cannot be used'];
  if (name.length < LENGTH.min) return [`Must be at least ${LENGTH.min} characters long`];
  const faults = name.length > LENGTH.max ? [`Name must be a maximum of ${LENGTH.max} characters long`] : [];
  if (!(mayHaveCapitals ? /^[A-Za-z0-9_-]*$/ : /^[a-z0-9_-]*$/).test(name))
    faults.push('Must be purely lowercase alphanumeric (ascii) characters and these symbols: -_');
  return faults;
}
