/** Decides which resources are loaded into tables automatically, and when. Pure. */
import { isStoredFile } from '../../catalog/document/project.ts';
import type { Settings } from '../../kernel/settings.ts';
import { endingOf, FORMATS, type Format } from '../read/formats.ts';

/** A resource as far as its file is concerned. */
export interface Loadable {
  readonly id: string;
  readonly url: string;
  /** `upload` for a file, kept here or, with a whole address, by another catalog; null or empty for a link. */
  readonly urlType: string | null;
  readonly format: string;
  readonly lastModified: string | null;
  readonly hash: string;
}

/** How to read a resource's file; null where it is not one that is read. */
export function formatOf({ format, url }: Pick<Loadable, 'format' | 'url'>): Format | null {
  const said = format.trim().toLowerCase();
  return FORMATS.find((it) => it === (said || endingOf(url.slice(url.lastIndexOf('/') + 1)))) ?? null;
}

/** Null for a resource whose file becomes a table; else why it does not. */
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

/**
 * How the job that loads a resource is queued: an upload goes before all links, and links wait while their server does not answer.
 */
export function laneOf(resource: Loadable): { urgent: boolean; host: string | null } {
  if (isStoredFile(resource)) return { urgent: true, host: null };
  const host = URL.canParse(resource.url) ? new URL(resource.url).host : '';
  return { urgent: false, host: host !== '' && host.length <= MAX_HOST ? host : null };
}
/** Maximum characters of a host with its port. DNS has no longer names, and the index of waiting jobs holds none. */
const MAX_HOST = 300;

/** Whether what is in the file may be another than before. */
export const mayDiffer = (before: Loadable | undefined, after: Loadable): boolean =>
  before === undefined ||
  (['url', 'urlType', 'format', 'lastModified', 'hash'] as const).some((field) => before[field] !== after[field]);
