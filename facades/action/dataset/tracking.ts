/** Implements `include_tracking`. As in CKAN, datasets have the views of their pages, and resources have downloads. */
import type { ActionTrackingFragment } from '../../../src/generated/operations.ts';

export const TRACKING =
  'Adds tracking_summary (total, and recent: the last 14 days) to the dataset and its resources: views of the dataset, downloads of each resource.';

interface Tracked {
  readonly document?: unknown;
  readonly usageSummary?: ActionTrackingFragment | null;
}

const NONE = { total: 0, recent: 0 };

const copyOf = (document: unknown) =>
  JSON.parse(JSON.stringify(document)) as { id: string; resources?: { id: string }[] };

/** A copy of a dataset's dictionary with tracking_summary. */
export function datasetWithTracking({
  document,
  usageSummary,
  resources = [],
}: Tracked & { readonly resources?: readonly (Tracked & { readonly databaseId: string })[] }): unknown {
  const copy = copyOf(document);
  const downloads = new Map(resources.map(({ databaseId, usageSummary }) => [databaseId, usageSummary?.downloads]));
  return {
    ...copy,
    ...(copy.resources && {
      resources: copy.resources.map((it) => ({ ...it, tracking_summary: downloads.get(it.id) ?? NONE })),
    }),
    tracking_summary: usageSummary?.views ?? NONE,
  };
}

/** The same of a resource. */
export const resourceWithTracking = ({ document, usageSummary }: Tracked): unknown => ({
  ...copyOf(document),
  tracking_summary: usageSummary?.downloads ?? NONE,
});
