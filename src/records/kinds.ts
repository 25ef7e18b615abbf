/** Kinds of imported and exported records. */

/** In import order: referenced kinds first. */
export const KINDS = ['organization', 'group', 'dataset'] as const;
export type Kind = (typeof KINDS)[number];
export type GroupKind = Exclude<Kind, 'dataset'>;
