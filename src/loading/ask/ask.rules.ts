/** Decides which resources are loaded into tables automatically, and when. Pure. */
import { isKeptFile } from '../../catalog/document/project.ts';
import type { Settings } from '../../kernel/config.ts';
import { endingOf, FORMATS, type Format } from '../read/formats.ts';

/** The properties of a resource that concern its file. */
export interface Loadable {
  readonly id: string;
  readonly url: string;
  /** `upload` for a stored file or, with an absolute URL, a file of another catalog; null or empty for a link. */
  readonly urlType: string | null;
  readonly format: string;
  readonly lastModified: string | null;
  readonly hash: string;
}

/** Format of a resource's file; null when unsupported. */
export function formatOf({ format, url }: Pick<Loadable, 'format' | 'url'>): Format | null {
  const said = format.trim().toLowerCase();
  return FORMATS.find((it) => it === (said || endingOf(url.slice(url.lastIndexOf('/') + 1)))) ?? null;
}

/** Null for a resource whose file is loaded into a table, otherwise the reason. */
export function whyNot(resource: Loadable, settings: Settings): string | null {
  if (!settings['catalog.plugins'].includes('datastore') || settings['catalog.datastore.write_url'] === null)
    return 'The DataStore is disabled';
  const format = formatOf(resource);
  if (format === null || !settings['catalog.loading.formats'].includes(format))
    return `Files of this format are not loaded (catalog.loading.formats: ${settings['catalog.loading.formats'].join(' ')})`;
  if (isStoredFile(resource)) return null;
  if (resource.urlType && resource.urlType !== 'upload') return 'The resource is neither a file nor a link';
  if (!settings['catalog.loading.links']) return 'Links are not loaded (catalog.loading.links)';
  return /^https?:\/\//i.test(resource.url) ? null : 'Only http and https URLs are loaded';
}

/** Whether the file's content may have changed. */
export const mayDiffer = (before: Loadable | undefined, after: Loadable): boolean =>
  before === undefined ||
  (['url', 'urlType', 'format', 'lastModified', 'hash'] as const).some((field) => before[field] !== after[field]);
