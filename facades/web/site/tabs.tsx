/** Links between the pages of one object. */

export interface Tab {
  readonly path: string;
  readonly label: string;
}

const at = (kind: string, page: string, name: string): string =>
  page ? `/${kind}/${page}/${encodeURIComponent(name)}` : `/${kind}/${encodeURIComponent(name)}`;

export const tabsOfDataset = (name: string): Tab[] => [
  { path: at('dataset', '', name), label: 'Dataset' },
  { path: at('dataset', 'activity', name), label: 'Activity' },
];

export const tabsOfGroup = (kind: 'organization' | 'group', name: string): Tab[] => [
  { path: at(kind, '', name), label: 'Datasets' },
  { path: at(kind, 'activity', name), label: 'Activity' },
  { path: at(kind, 'about', name), label: 'About' },
  { path: at(kind, 'members', name), label: 'Members' },
];

export const tabsOfUser = (name: string): Tab[] => [
  { path: at('user', '', name), label: 'Profile' },
  { path: at('user', 'activity', name), label: 'Activity' },
];

/** `current`: path of the page. */
export const Tabs = ({ tabs, current }: { tabs: readonly Tab[]; current: string }) => (
  <nav class="tabs" aria-label="Pages of this object">
    {tabs.map(({ path, label }) => (
      <a key={path} href={path} aria-current={path === current ? 'page' : undefined}>
        {label}
      </a>
    ))}
  </nav>
);
