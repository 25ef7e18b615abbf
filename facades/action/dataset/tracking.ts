/** Implements `include_tracking`: the catalog does not count page views, but clients that send it read the keys. */
export const TRACKING =
  'Adds tracking_summary (total, recent) to the dataset and its resources; page views are not counted, so both are 0.';

/** A copy of a dataset's or resource's dictionary with page view counts. */
export function withTracking(document: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(document)) as { resources?: object[] };
  const resources = copy.resources?.map((resource) => ({ ...resource, tracking_summary: { total: 0, recent: 0 } }));
  return { ...copy, ...(resources && { resources }), tracking_summary: { total: 0, recent: 0 } };
}
