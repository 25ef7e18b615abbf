/** Serves `/dataset/groups/<name>`: the groups of a dataset, which their members can change. */
import { Router } from 'express';
import {
  PageAddToGroupDocument,
  PageDatasetGroupsDocument,
  type PageDatasetGroupsQuery,
  PageRemoveFromGroupDocument,
} from '../../../src/generated/operations.ts';
import { CatalogError } from '../../../src/kernel/errors.ts';
import { Choice, type Faults, Form, Notice } from './form.tsx';
import type { Frame } from './frame.ts';
import { Layout } from './layout.tsx';
import { Tabs, tabsOfDataset } from './tabs.tsx';
import { useTexts } from './use-texts.ts';
import { faultsOf, type SiteOptions, STATUS, type Visit, visitingOrLogin } from './visit.ts';

const pathOf = (name: string): string => `/dataset/groups/${encodeURIComponent(name)}`;

export function datasetGroupsRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const visit = (work: (visit: Visit) => Promise<void>) => visitingOrLogin(options, work);
  router.get(
    '/dataset/groups/:name',
    visit((v) => show(v)),
  );
  router.post('/dataset/groups/:name', visit(change));
  return router;
}

async function show(v: Visit, faults: Faults = {}, status = 200): Promise<void> {
  const name = v.req.params.name!;
  const data = await v.run(PageDatasetGroupsDocument, { id: name }, v.call);
  if (v.req.method !== 'POST' && data.dataset.name !== name) return v.goTo(pathOf(data.dataset.name));
  v.page(<DatasetGroupsPage frame={v.frame} data={data} faults={faults} />, status);
}

async function change(v: Visit): Promise<void> {
  const { name } = v.req.params;
  const { group = '', verb } = v.form;
  const input = { group, objectType: 'dataset', object: name! };
  try {
    if (verb === 'remove') await v.run(PageRemoveFromGroupDocument, { input }, v.call);
    else await v.run(PageAddToGroupDocument, { input: { ...input, capacity: 'public' } }, v.call);
  } catch (thrown) {
    if (!(thrown instanceof CatalogError)) throw thrown;
    if (thrown.kind === 'NOT_FOUND') return show(v, { group: v.frame.texts.t('manage.noSuchGroup') }, 422);
    if (thrown.kind !== 'VALIDATION') throw thrown;
    return show(v, faultsOf(thrown, ['group']), STATUS[thrown.kind]);
  }
  v.goTo(pathOf(name!));
}

interface DatasetGroupsProps {
  readonly frame: Frame;
  readonly data: PageDatasetGroupsQuery;
  readonly faults: Faults;
}

function DatasetGroupsPage({ frame, data: { dataset, myGroups }, faults }: DatasetGroupsProps) {
  const { name, title, groups } = dataset!;
  const { t, dataLang } = useTexts();
  const path = pathOf(name);
  const heading = t('manage.groupsOf', { title });
  const own = new Set(myGroups!.map((group) => group.name));
  const others = myGroups!.filter((group) => !groups.some((it) => it.name === group.name));
  return (
    <Layout frame={frame} title={heading} meta={{ path, description: heading }}>
      <h1>{heading}</h1>
      <Tabs tabs={tabsOfDataset(name)} current={path} />
      <Notice text={faults.form ?? (others.length === 0 ? faults.group : undefined)} bad />
      {groups.length === 0 && <p>{t('manage.noGroups')}</p>}
      <ul class="plain">
        {groups.map((group) => (
          <li key={group.name} class="row">
            <a href={`/group/${encodeURIComponent(group.name)}`} lang={dataLang}>
              {group.displayName}
            </a>
            {own.has(group.name) && (
              <Form action={path} token={frame.token}>
                <input type="hidden" name="group" value={group.name} />
                <button
                  type="submit"
                  name="verb"
                  value="remove"
                  class="link"
                  aria-label={t('manage.removeNamed', { name: group.displayName })}
                >
                  {t('manage.remove')}
                </button>
              </Form>
            )}
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <Form action={path} token={frame.token} stacked>
          <Choice
            name="group"
            label={t('manage.addToGroup')}
            faults={faults}
            options={Object.fromEntries(others.map((group) => [group.name, group.displayName]))}
          />
          <button type="submit">{t('manage.add')}</button>
        </Form>
      )}
    </Layout>
  );
}
