/** Figures of the catalog: sizes, largest groups of datasets, and changes per month. */
import type { ComponentChild } from 'preact';
import type { PageStatisticsQuery, StatisticsListFragment } from '../../../src/generated/operations.ts';
import { Bars } from './bars.tsx';
import { type Frame, Layout } from './layout.tsx';
import { useTexts } from './use-texts.ts';

interface StatsProps {
  readonly frame: Frame;
  readonly data: PageStatisticsQuery;
}

/** Lists by the dimension of their values, with the search parameter. */
const LISTS = {
  organizations: 'organization',
  groups: 'groups',
  formats: 'res_format',
  licenses: 'license_id',
  tags: 'tags',
} as const;

export function StatsPage({ frame, data: { statistics, timeline } }: StatsProps) {
  const { t, number, bytes, month } = useTexts();
  const figures = [
    [t('common.datasets'), number(statistics.datasets)],
    [t('stats.resources'), number(statistics.resources)],
    [t('stats.tables'), number(statistics.tables)],
    [t('stats.bytes'), bytes(statistics.bytes)],
    [t('common.users'), number(statistics.users)],
    [t('stats.edits'), number(statistics.edits)],
  ] as const;
  const months = timeline.starts.map((start, index) => ({
    name: start.slice(0, 7),
    label: month(start),
    value: timeline.counts[index]!,
  }));
  return (
    <Layout
      frame={frame}
      title={t('stats.title')}
      meta={{
        path: '/stats',
        description: t('stats.description', { count: statistics.datasets, site: frame.siteTitle }),
      }}
    >
      <h1>{t('stats.title')}</h1>
      <dl class="tiles">
        {figures.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="lists">
        {(Object.keys(LISTS) as Dimension[]).map((key) => {
          const list = statistics[key];
          return list && list.items.length > 0 ? <TopList key={key} dimension={key} list={list} /> : null;
        })}
      </div>
      <h2>{t('stats.editsPerMonth')}</h2>
      <Counts caption={t('stats.editsPerMonth')} word={t('stats.month')} isNarrow rows={months.slice(-MONTHS)} />
    </Layout>
  );
}

const MONTHS = 12;
type Dimension = keyof typeof LISTS;

interface TopListProps {
  readonly dimension: Dimension;
  readonly list: StatisticsListFragment;
}

function TopList({ dimension, list: { items, totalCount, otherCount } }: TopListProps) {
  const { t, dataLang } = useTexts();
  const title = t(`common.${dimension}`);
  const href = (name: string) => `/dataset?${LISTS[dimension]}=${encodeURIComponent(name)}`;
  return (
    <section>
      <h2>{title}</h2>
      <Counts
        caption={t('stats.datasetsBy', { kind: dimension })}
        word={title}
        rows={items.map(({ name, displayName, datasets }) => ({
          name,
          value: datasets,
          label: name ? (
            <a href={href(name)} lang={dataLang}>
              {displayName}
            </a>
          ) : (
            t('stats.none')
          ),
        }))}
      />
      {totalCount > items.length && (
        <p class="hint">{t('stats.more', { count: totalCount - items.length, datasets: otherCount })}</p>
      )}
    </section>
  );
}

interface CountsProps {
  readonly caption: string;
  /** Heading of the first column. */
  readonly word: string;
  /** Whether the names are short. */
  readonly isNarrow?: boolean;
  readonly rows: readonly { name: string; label: ComponentChild; value: number }[];
}

/** Counts with bars; the longest bar is that of the largest one. */
function Counts({ caption, word, rows, isNarrow = false }: CountsProps) {
  const { t, number } = useTexts();
  const max = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <Bars
      {...{ caption, isNarrow }}
      words={[word, t('stats.number')]}
      rows={rows.map(({ name, label, value }) => ({
        name,
        label,
        number: number(value),
        percent: (100 * value) / max,
      }))}
    />
  );
}
