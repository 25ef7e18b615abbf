/** Figures of the catalog: sizes, largest groups of datasets, and changes per month. */
import type { ComponentChild } from 'preact';
import type { PageStatisticsQuery, StatisticsListFragment } from '../../../src/generated/operations.ts';
import { bytes } from './facts.tsx';
import { type Frame, Layout } from './layout.tsx';

interface StatsProps {
  readonly frame: Frame;
  readonly data: PageStatisticsQuery;
}

/** Lists by the dimension of their values: title, and the search parameter. */
const LISTS = {
  organizations: { title: 'Organizations', parameter: 'organization' },
  groups: { title: 'Groups', parameter: 'groups' },
  formats: { title: 'Formats', parameter: 'res_format' },
  licenses: { title: 'Licenses', parameter: 'license_id' },
  tags: { title: 'Tags', parameter: 'tags' },
} as const;

export function StatsPage({ frame, data: { statistics, timeline } }: StatsProps) {
  const figures = {
    Datasets: number(statistics.datasets),
    Resources: number(statistics.resources),
    Tables: number(statistics.tables),
    'Size of resources': bytes(statistics.bytes),
    Users: number(statistics.users),
    Edits: number(statistics.edits),
  };
  const months = timeline.starts.map((start, index) => ({ name: start.slice(0, 7), value: timeline.counts[index]! }));
  return (
    <Layout
      frame={frame}
      title="Statistics"
      meta={{
        path: '/stats',
        description: `${number(statistics.datasets)} datasets in ${frame.siteTitle}, in figures.`,
      }}
    >
      <h1>Statistics</h1>
      <dl class="tiles">
        {Object.entries(figures).map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="lists">
        {Object.entries(LISTS).map(([key, { title, parameter }]) => {
          const list = statistics[key as keyof typeof LISTS];
          return list && list.items.length > 0 ? <TopList key={key} {...{ title, parameter, list }} /> : null;
        })}
      </div>
      <h2>Edits per month</h2>
      <Bars
        caption="Edits per month"
        word="Month"
        isNarrow
        rows={months.slice(-MONTHS).map(({ name, value }) => ({ name, label: name, value }))}
      />
    </Layout>
  );
}

const MONTHS = 12;
const number = (value: number): string => value.toLocaleString('en');

interface TopListProps {
  readonly title: string;
  readonly parameter: string;
  readonly list: StatisticsListFragment;
}

const TopList = ({ title, parameter, list: { items, totalCount, otherCount } }: TopListProps) => (
  <section>
    <h2>{title}</h2>
    <Bars
      caption={`Datasets by ${title.toLowerCase()}`}
      word={title}
      rows={items.map(({ name, displayName, datasets }) => ({
        name,
        value: datasets,
        label: name ? <a href={`/dataset?${parameter}=${encodeURIComponent(name)}`}>{displayName}</a> : 'None',
      }))}
    />
    {totalCount > items.length && (
      <p class="hint">
        and {number(totalCount - items.length)} more with {number(otherCount)} datasets
      </p>
    )}
  </section>
);

interface BarsProps {
  readonly caption: string;
  /** Heading of the first column. */
  readonly word: string;
  /** Whether the names are short. */
  readonly isNarrow?: boolean;
  readonly rows: readonly { name: string; label: ComponentChild; value: number }[];
}

/** A table of numbers with bars. */
function Bars({ caption, word, rows, isNarrow = false }: BarsProps) {
  const max = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <table class={isNarrow ? 'bars narrow' : 'bars'}>
      <caption class="hidden">{caption}</caption>
      <thead class="hidden">
        <tr>
          <th scope="col">{word}</th>
          <th scope="col">Number</th>
          <th scope="col">Bar</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, label, value }) => (
          <tr key={name}>
            <th scope="row">{label}</th>
            <td class="number">{number(value)}</td>
            <td>
              <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">
                <rect width={(100 * value) / max} height="10" />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
