/** Links between the pages of one object. */
import type { DashboardId } from './dashboards/chart.ts';
import { useTexts } from './use-texts.ts';

export interface Tab {
  readonly path: string;
  readonly label: TabLabel;
}

type TabLabel =
  | `group.${'datasets' | 'activity' | 'about' | 'members'}`
  | 'dataset.tab'
  | 'dataset.activity'
  | 'related.tab'
  | `user.${'profile' | 'activity'}`
  | `layout.${'groups' | 'users'}`
  | 'activity.news'
  | `manage.my${'Datasets' | 'Organizations' | 'Groups'}`
  | `admin.${'settings' | 'trash'}`
  | 'jobs.title'
  | `charts.${DashboardId}`;

const at = (kind: string, page: string, name: string): string =>
  page ? `/${kind}/${page}/${encodeURIComponent(name)}` : `/${kind}/${encodeURIComponent(name)}`;

export const tabsOfDataset = (name: string): Tab[] => [
  { path: at('dataset', '', name), label: 'dataset.tab' },
  { path: at('dataset', 'groups', name), label: 'layout.groups' },
  { path: at('dataset', 'activity', name), label: 'dataset.activity' },
  { path: `${at('dataset', '', name)}/related`, label: 'related.tab' },
];

export const tabsOfGroup = (kind: 'organization' | 'group', name: string): Tab[] => [
  { path: at(kind, '', name), label: 'group.datasets' },
  { path: at(kind, 'activity', name), label: 'group.activity' },
  { path: at(kind, 'about', name), label: 'group.about' },
  { path: at(kind, 'members', name), label: 'group.members' },
];

export const tabsOfUser = (name: string): Tab[] => [
  { path: at('user', '', name), label: 'user.profile' },
  { path: at('user', 'activity', name), label: 'user.activity' },
];

export const DASHBOARD_TABS: readonly Tab[] = [
  { path: '/dashboard', label: 'activity.news' },
  { path: '/dashboard/datasets', label: 'manage.myDatasets' },
  { path: '/dashboard/organizations', label: 'manage.myOrganizations' },
  { path: '/dashboard/groups', label: 'manage.myGroups' },
];

export const ADMIN_TABS: readonly Tab[] = [
  { path: '/ckan-admin', label: 'layout.users' },
  { path: '/ckan-admin/config', label: 'admin.settings' },
  { path: '/ckan-admin/trash', label: 'admin.trash' },
  { path: '/ckan-admin/jobs', label: 'jobs.title' },
];

/** `current`: path of the page. */
export function Tabs({ tabs, current }: { tabs: readonly Tab[]; current: string }) {
  const { t } = useTexts();
  return (
    <nav class="tabs" aria-label={t('common.tabs')}>
      {tabs.map(({ path, label }) => (
        <a key={path} href={path} aria-current={path === current ? 'page' : undefined}>
          {t(label)}
        </a>
      ))}
    </nav>
  );
}
