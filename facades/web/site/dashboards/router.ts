/** Serves `/dashboards`: dashboards, and the files of their charts. */
import { type RequestHandler, Router } from 'express';
import { h } from 'preact';
import {
  PageDashboardFiltersDocument,
  PageDashboardOrganizationDocument,
} from '../../../../src/generated/operations.ts';
import { CatalogError, notAuthorized, notFound } from '../../../../src/kernel/errors.ts';
import { sendText } from '../../../shared/http.ts';
import { sendPublic } from '../answer.ts';
import { type Faults, inEnglish } from '../form.tsx';
import { renderedPage } from '../rendered.ts';
import { publicCache, type SiteOptions, type Visit, visiting, visitingOrLogin } from '../visit.ts';
import type { Answer } from './card.tsx';
import { type At, atOf, type Chart, type DashboardId, fits, type Numbers } from './chart.ts';
import { chartsOf, DASHBOARDS } from './charts.ts';
import { csvOf, hasPicture, svgOf } from './files.tsx';
import { readFilters } from './filters.ts';
import { DashboardPage, pathOf } from './page.tsx';

/** Organizations to filter by: those with the most datasets. */
const MAX_ORGANIZATIONS = 100;

export function dashboardsRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const visit = (work: (v: Visit, dashboard: DashboardId) => Promise<void>): RequestHandler =>
    visitingOrLogin(options, (v) => work(v, allowed(v)));
  router.get(
    '/dashboards',
    visiting(options, async (v) => v.goTo(pathOf('catalog'))),
  );
  router.get(
    '/dashboards/:dashboard',
    visit((v, dashboard) => showDashboard(v, dashboard, options)),
  );
  router.get(
    '/dashboards/:dashboard/:file',
    visit((v, dashboard) => sendChart(v, dashboard, options)),
  );
  return router;
}

/** The requested dashboard. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
function allowed({ req, frame }: Visit): DashboardId {
  const id = req.params.dashboard!;
  if (!Object.hasOwn(DASHBOARDS, id)) throw notFound('no such dashboard.');
  if (DASHBOARDS[id as DashboardId]!.isPrivate && !frame.viewer?.sysadmin)
    throw notAuthorized('only system administrators may see this page');
  return id as DashboardId;
}

async function requested(
  v: Visit,
  dashboard: DashboardId,
  { facets, rows }: SiteOptions,
): Promise<{ at: At; faults: Faults }> {
  const { req, call, frame } = v;
  const { now } = call.request;
  const { filters, faults } = readFilters(req.query, now, frame.texts, DASHBOARDS[dashboard]!.interval);
  const isNamed = filters.organization !== '' && !faults.organization && DASHBOARDS[dashboard]!.takesIds === true;
  const organizationId = isNamed ? await organizationIdOf(v, filters.organization) : null;
  const at = atOf({
    filters,
    organizationId,
    texts: frame.texts,
    isSignedIn: call.actor.userId !== null,
    isSysadmin: call.actor.sysadmin,
    now,
    facets,
    rows,
  });
  if (!isNamed || organizationId !== null) return { at, faults };
  return { at, faults: { ...faults, organization: frame.texts.t('charts.faultOrganization') } };
}

/** Null for an unknown organization, and for one that the reader may not see: the page does not tell them apart. */
async function organizationIdOf({ run, call }: Visit, name: string): Promise<string | null> {
  try {
    return (await run(PageDashboardOrganizationDocument, { name }, call)).organization.id;
  } catch (thrown) {
    if (thrown instanceof CatalogError && ['NOT_FOUND', 'NOT_AUTHORIZED'].includes(thrown.kind)) return null;
    throw thrown;
  }
}

const read = async ({ run, call }: Visit, chart: Chart, at: At): Promise<Numbers> =>
  chart.read(await run(chart.document, chart.variables(at), call), at);

/** A refused chart leaves the others as they are. */
async function answerOf(v: Visit, chart: Chart, at: At): Promise<Answer> {
  try {
    return { numbers: await read(v, chart, at) };
  } catch (thrown) {
    if (!(thrown instanceof CatalogError) || ['RATE_LIMIT', 'NOT_AUTHORIZED'].includes(thrown.kind)) throw thrown;
    return { fault: inEnglish(thrown.message) };
  }
}

async function showDashboard(v: Visit, dashboard: DashboardId, options: SiteOptions): Promise<void> {
  const { at, faults } = await requested(v, dashboard, options);
  const isWrong = Object.keys(faults).length > 0;
  const charts = isWrong ? [] : chartsOf(dashboard, at).filter((chart) => fits(chart, at.filters));
  const names = DASHBOARDS[dashboard]!.filters;
  const [answers, organizations] = await Promise.all([
    Promise.all(charts.map(async (chart) => [chart, await answerOf(v, chart, at)] as const)),
    names.includes('organization')
      ? v
          .run(PageDashboardFiltersDocument, { first: Math.min(MAX_ORGANIZATIONS, v.rows) }, v.call)
          .then((data) => data.organizations.nodes)
      : [],
  ]);
  const { frame } = v;
  v.page(h(DashboardPage, { frame, dashboard, at, faults, answers, organizations }), isWrong ? 422 : 200);
}

const TYPES = { csv: 'text/csv;charset=utf-8', svg: 'image/svg+xml;charset=utf-8' } as const;

/** `growth.csv` or `growth.svg`. */
async function sendChart(v: Visit, dashboard: DashboardId, options: SiteOptions): Promise<void> {
  const [, id, format] = /^([a-z-]+)\.(csv|svg)$/.exec(v.req.params.file!) ?? [];
  const { at, faults } = await requested(v, dashboard, options);
  const chart = chartsOf(dashboard, at).find((it) => it.id === id);
  if (!chart || (format === 'svg' && !hasPicture(chart))) throw notFound('no such chart.');
  const problems = Object.entries(faults).map(([field, message]) => ({ path: [field], message: String(message) }));
  const names = Object.keys(faults).join(', ');
  if (problems.length > 0)
    throw new CatalogError('VALIDATION', `Invalid filters: ${names}. Correct or remove them.`, problems);
  if (!fits(chart, at.filters)) throw notFound('this chart does not support the given filters.');
  const numbers = await read(v, chart, at);
  const source = `${v.frame.siteTitle}, ${v.frame.texts.moment(at.now.toISOString())}`;
  const texts = v.frame.texts;
  const body = Buffer.from(
    format === 'csv' ? csvOf(numbers) : svgOf({ chart, numbers, texts, source, interval: at.filters.interval }),
  );
  const isPublic = v.call.actor.userId === null;
  const headers = {
    'content-disposition': `${format === 'csv' ? 'attachment' : 'inline'}; filename="${dashboard}-${id}.${format}"`,
    'content-security-policy': "default-src 'none'",
    'cache-control': isPublic ? publicCache(options.maxAge) : 'private, no-store',
    vary: ['Accept-Encoding', 'Accept-Language', 'Cookie', 'Authorization', 'X-CKAN-API-Key', options.keyHeader].join(
      ', ',
    ),
  };
  const type = TYPES[format as keyof typeof TYPES];
  if (isPublic) return sendPublic(v.res, 200, renderedPage(body), { ...headers, 'content-type': type });
  sendText(v.res, 200, type, body, headers);
}
