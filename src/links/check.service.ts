/** Checks one link and stores the result. */
import { type Call, inTransaction } from '../kernel/call.ts';
import { noteResult, postponeLink, type Result, refreshHosts, settleLink, type TakenLink } from './due.sql.ts';
import { DAY, judge, type Probe, pauseAfter } from './link.rules.ts';
import { probe } from './probe.ts';
import { permission } from './robots.ts';
import { HostPaused } from './turns.ts';
import { type Visit, visitFor } from './visit.ts';

/** Maximum ms in which a check begins requests; less than the time for which a taken link belongs to its process. */
const MAX_CHECK = 300_000;

/** Checks a link. `call` has the current time. @throws the reason of an aborted signal; another process repeats the check */
export async function checkLink(callNow: () => Call, visit: Visit, link: TakenLink): Promise<void> {
  const { settings } = callNow();
  const interval = settings['catalog.links.interval'] * DAY;
  if (!link.isShown) return later(callNow(), link, interval);
  const bounded = visitFor(visit, MAX_CHECK);
  const found = await probe(link.url, {
    visit: bounded,
    permission: (url) => permission(callNow(), bounded, settings['catalog.links.user_agent'], url),
    known: { ...link, url: link.finalUrl ?? link.url },
  }).catch((thrown: unknown) => {
    if (thrown instanceof HostPaused) return thrown;
    throw thrown;
  });
  if (found instanceof HostPaused) return later(callNow(), link, found.wait);
  const call = callNow();
  const result = resultOf(link, found, call.request.now, settings['catalog.links.failures'], interval);
  await inTransaction(call, async (call) => {
    if ((await settleLink(call.sql, link, result)) && isNews(link, result)) await noteResult(call.sql, link, result);
  });
  await refreshHosts(call.sql, [link.host]);
}

/** ms over which postponed checks are spread. */
const SPREAD = 60_000;

async function later({ sql }: Call, link: TakenLink, wait: number): Promise<void> {
  await postponeLink(sql, link, (wait + Math.random() * SPREAD) / 1_000);
  await refreshHosts(sql, [link.host]);
}

function resultOf(link: TakenLink, found: Probe, at: Date, maxFailures: number, interval: number): Result {
  const judgement = judge(found, link, link.format, maxFailures);
  const { verdict, reason, finalUrl, failures } = judgement;
  const isOk = verdict === 'ok' || verdict === 'moved';
  const brokenFor = link.verdict === 'broken' && link.since ? at.getTime() - link.since.getTime() : 0;
  const facts = isOk && found.status !== 304 ? found : { ...found, ...stored(link, found) };
  return {
    verdict,
    status: found.status === 304 ? (link.httpStatus ?? 200) : found.status,
    reason,
    finalUrl,
    redirects: found.hops.length,
    size: facts.size,
    mediaType: facts.mediaType,
    etag: facts.etag,
    lastModified: facts.lastModified,
    changedAt: isOk ? changeOf(link, found, at) : link.changedAt,
    at,
    isOk,
    failures,
    pause: pauseAfter(judgement, found.retryAfter, brokenFor, interval, Math.random()) / 1_000,
  };
}

/** Facts of the last response that this one omits. */
const stored = (link: TakenLink, found: Probe) => ({
  size: link.size === null ? null : Number(link.size),
  mediaType: found.status === 304 ? (found.mediaType ?? link.mediaType) : link.mediaType,
  etag: link.etag,
  lastModified: link.lastModified,
});

/** `Last-Modified`, or this check if it is the first to see another ETag or size. */
function changeOf(link: TakenLink, found: Probe, at: Date): Date | null {
  const said = found.lastModified === null ? Number.NaN : Date.parse(found.lastModified);
  if (Number.isFinite(said) && said >= 0 && said <= at.getTime() + DAY) return new Date(said);
  if (found.status === 304) return link.changedAt;
  const isOther = (before: string | null, now: string | null) => before !== null && now !== null && before !== now;
  const size = found.size === null ? null : String(found.size);
  return isOther(link.etag, found.etag) || isOther(link.size, size) ? at : link.changedAt;
}

/** Whether the history records it. */
const isNews = (link: TakenLink, { verdict, status, reason, finalUrl }: Result): boolean =>
  link.verdict !== verdict || link.httpStatus !== status || link.reason !== reason || link.finalUrl !== finalUrl;
