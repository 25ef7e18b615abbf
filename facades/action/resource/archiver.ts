/** The key `archiver` of resources, where clients of CKAN's archiver extension look for the state of a link. */
import type { ActionResourceShowQuery } from '../../../src/generated/operations.ts';
import { wireTime } from '../../../src/records/form/time.ts';

type Link = NonNullable<ActionResourceShowQuery['resource']>['link'];

const STATES = {
  OK: [false, 'Downloaded OK'],
  MOVED: [false, 'Downloaded OK'],
  BROKEN: [true, 'Broken'],
  FORBIDDEN: [null, 'Not sure if broken'],
  UNKNOWN: [null, 'Not sure if broken'],
} as const;

/** The dictionary with the state of a checked link; unchanged for other resources. */
export function withArchiver(document: unknown, link: Link | undefined): unknown {
  if (!link?.verdict || !link.checkedAt) return document;
  const [isBroken, printable] = STATES[link.verdict];
  return {
    ...(document as object),
    archiver: {
      status: link.verdict.toLowerCase(),
      status_id: link.status ?? null,
      is_broken: isBroken,
      is_broken_printable: printable,
      reason: link.reason?.toLowerCase() ?? '',
      url_redirected_to: link.finalUrl ?? null,
      cache_filepath: null,
      cache_url: null,
      size: link.size ?? null,
      mimetype: link.mediaType ?? null,
      first_failure: timeOf(link.firstFailureAt),
      last_success: timeOf(link.lastOkAt),
      failure_count: link.failures,
      updated: timeOf(link.checkedAt),
    },
  };
}

const timeOf = (time: string | null | undefined): string | null => (time ? wireTime(time) : null);
