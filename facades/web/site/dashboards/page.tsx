/** The page of a dashboard: filters, and its charts. */
import { Choice, type Faults, Field } from '../form.tsx';
import { scriptPath } from '../islands.ts';
import { type Frame, Layout } from '../layout.tsx';
import { type Tab, Tabs } from '../tabs.tsx';
import { useTexts } from '../use-texts.ts';
import { type Answer, Card } from './card.tsx';
import { type At, type Chart, type DashboardId, fits } from './chart.ts';
import { chartsOf, DASHBOARDS } from './charts.ts';
import { CHECKS, filtersHref, RATINGS } from './filters.ts';
import { INTERVALS } from './periods.ts';

export const pathOf = (dashboard: DashboardId): string => `/dashboards/${dashboard}`;

/** The dashboards that a reader may open. */
const tabsFor = (isSysadmin: boolean): Tab[] =>
  (Object.keys(DASHBOARDS) as DashboardId[])
    .filter((id) => isSysadmin || !DASHBOARDS[id]!.isPrivate)
    .map((id) => ({ path: pathOf(id), label: `charts.${id}` as const }));

interface DashboardProps {
  readonly frame: Frame;
  readonly dashboard: DashboardId;
  readonly at: At;
  readonly faults: Faults;
  /** Charts with their answers. */
  readonly answers: readonly (readonly [Chart, Answer])[];
  readonly organizations: readonly { readonly name: string; readonly title: string | null }[];
}

export function DashboardPage({ frame, dashboard, at, faults, answers, organizations }: DashboardProps) {
  const { t } = useTexts();
  const title = t(`charts.${dashboard}`);
  const path = pathOf(dashboard);
  const { every } = DASHBOARDS[dashboard]!;
  const isOmitted = chartsOf(dashboard, at).some((chart) => !fits(chart, at.filters));
  return (
    <Layout
      frame={frame}
      title={title}
      meta={{ path, description: t('charts.description', { site: frame.siteTitle }) }}
      head={<script type="module" src={scriptPath('dashboards')} />}
    >
      <h1>{t('charts.title')}</h1>
      <Tabs tabs={tabsFor(frame.viewer?.sysadmin ?? false)} current={path} />
      <FilterForm {...{ dashboard, at, faults, organizations }} />
      {isOmitted && <p class="hint">{t('charts.omitted')}</p>}
      <section id="charts" class="charts" data-live="/changes?types=DATASET" data-every={every} aria-label={title}>
        {answers.map(([chart, answer]) => (
          <Card key={chart.id} {...{ chart, answer, at }} siteUrl={frame.siteUrl} />
        ))}
      </section>
    </Layout>
  );
}

function FilterForm({ dashboard, at, faults, organizations }: Omit<DashboardProps, 'frame' | 'answers'>) {
  const { t } = useTexts();
  const { texts } = at.filters;
  const names = DASHBOARDS[dashboard]!.filters;
  if (names.length === 0) return null;
  const options: Record<string, string> = { '': t('charts.allOrganizations') };
  for (const { name, title } of organizations) options[name] = title || name;
  if (!Object.hasOwn(options, texts.organization)) options[texts.organization] = texts.organization;
  const intervals = Object.fromEntries(INTERVALS.map((it) => [it.toLowerCase(), t(`charts.${it}`)]));
  const choices = <Name extends string>(names: readonly Name[], labelOf: (name: Name) => string) => ({
    '': t('charts.any'),
    ...Object.fromEntries(names.map((it) => [it.toLowerCase(), labelOf(it)])),
  });
  const has = (name: (typeof names)[number]) => names.includes(name);
  return (
    <form class="conditions filters" method="get" action={pathOf(dashboard)}>
      {has('organization') && (
        <Choice
          name="organization"
          label={t('charts.organization')}
          value={texts.organization}
          {...{ options, faults }}
        />
      )}
      {has('from') && <Field name="from" type="date" label={t('charts.from')} value={texts.from} faults={faults} />}
      {has('to') && <Field name="to" type="date" label={t('charts.to')} value={texts.to} faults={faults} />}
      {has('interval') && (
        <Choice
          name="interval"
          label={t('charts.interval')}
          options={intervals}
          value={at.filters.interval.toLowerCase()}
          faults={faults}
        />
      )}
      {has('check') && (
        <Choice
          name="check"
          label={t('charts.check')}
          options={choices(CHECKS, (name) => t('charts.checkOf', { name }))}
          value={texts.check.toLowerCase()}
          faults={faults}
        />
      )}
      {has('rating') && (
        <Choice
          name="rating"
          label={t('charts.rating')}
          options={choices(RATINGS, (rating) => t('charts.ratingOf', { rating }))}
          value={texts.rating.toLowerCase()}
          faults={faults}
        />
      )}
      <button type="submit">{t('common.apply')}</button>
      {filtersHref('', texts) !== '' && <a href={pathOf(dashboard)}>{t('charts.reset')}</a>}
    </form>
  );
}
