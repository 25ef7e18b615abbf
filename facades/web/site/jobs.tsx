/** Serves `/ckan-admin/jobs`: background jobs by state and kind, with buttons to retry and to cancel them. */
import type { RequestHandler, Router } from 'express';
import type { ComponentChildren } from 'preact';
import {
  PageCancelJobDocument,
  PageJobsDocument,
  type PageJobsQuery,
  PageRetryJobDocument,
} from '../../../src/generated/operations.ts';
import { CatalogError, firstMessage } from '../../../src/kernel/errors.ts';
import { Form, inEnglish, Notice } from './form.tsx';
import type { Frame } from './frame.ts';
import { JobFacts } from './job-facts.tsx';
import { Layout } from './layout.tsx';
import { NextPage } from './pagination.tsx';
import { resourceAt } from './resource-form-page.tsx';
import { first as firstOf, hrefOf } from './search-query.ts';
import { ADMIN_TABS, Tabs } from './tabs.tsx';
import { useTexts } from './use-texts.ts';
import { STATUS, type Visit } from './visit.ts';

const PATH = '/ckan-admin/jobs';
const STATES = ['FAILED', 'RUNNING', 'QUEUED', 'DONE', 'CANCELLED'] as const;
const KINDS = ['load', 'words', 'harvest'] as const;

/** Conditions of the list; empty texts for none. */
interface Choice {
  readonly state: (typeof STATES)[number] | '';
  readonly kind: (typeof KINDS)[number] | '';
  readonly after: string;
}

/** A refused change of a job. */
interface Fault {
  readonly id: string;
  readonly text: ComponentChildren;
}

export function addJobs(router: Router, visit: (work: (v: Visit) => Promise<void>) => RequestHandler, first: number) {
  router.get(
    PATH,
    visit((v) => showJobs(v, first, choiceIn(v.req.query))),
  );
  router.post(
    `${PATH}/:id`,
    visit((v) => changeJob(v, first)),
  );
}

function choiceIn(from: Readonly<Record<string, unknown>>): Choice {
  const [state, kind] = [firstOf(from.state).toUpperCase(), firstOf(from.kind)];
  return {
    state: STATES.find((it) => it === state) ?? '',
    kind: KINDS.find((it) => it === kind) ?? '',
    after: firstOf(from.after),
  };
}

const addressOf = ({ state, kind, after }: Choice): string =>
  hrefOf(PATH, [
    ['state', state.toLowerCase()],
    ['kind', kind],
    ['after', after],
  ]);

async function changeJob(v: Visit, first: number): Promise<void> {
  const { verb } = v.form;
  const input = { id: v.req.params.id! };
  const choice = choiceIn(v.form);
  try {
    if (verb === 'retry') await v.run(PageRetryJobDocument, { input }, v.call);
    if (verb === 'cancel') await v.run(PageCancelJobDocument, { input }, v.call);
  } catch (thrown) {
    if (!(thrown instanceof CatalogError) || (thrown.kind !== 'CONFLICT' && thrown.kind !== 'NOT_FOUND')) throw thrown;
    const fault = { id: input.id, text: inEnglish(firstMessage(thrown)) };
    return showJobs(v, first, choice, fault, STATUS[thrown.kind]);
  }
  v.goTo(addressOf(choice));
}

async function showJobs(v: Visit, first: number, choice: Choice, fault: Fault | null = null, status = 200) {
  const { t, number } = v.frame.texts;
  const kind = choice.kind || null;
  const where = { state: choice.state || null, kind };
  const { jobs, ...counts } = await v.run(
    PageJobsDocument,
    { where, kind, first, after: choice.after || null },
    v.call,
  );
  const countOf = (state: string) => counts[state.toLowerCase() as keyof typeof counts]?.totalCount;
  const { hasNextPage, endCursor } = jobs.pageInfo;
  const isListed = jobs.nodes.some(({ databaseId }) => databaseId === fault?.id);
  const link = (to: Partial<Choice>, label: string, isCurrent: boolean, count?: number) => (
    <a key={label} href={addressOf({ ...choice, after: '', ...to })} aria-current={isCurrent ? 'page' : undefined}>
      {label}
      {count !== undefined && <span class="number"> {number(count)}</span>}
    </a>
  );
  v.page(
    <Layout frame={v.frame} title={t('jobs.title')}>
      <h1>{t('jobs.title')}</h1>
      <Tabs tabs={ADMIN_TABS} current={PATH} />
      {fault && !isListed && <Notice text={fault.text} bad />}
      <nav class="ways-to-look" aria-label={t('jobs.states')}>
        {link({ state: '' }, t('jobs.all'), choice.state === '')}
        {STATES.map((state) => link({ state }, t('jobs.state', { state }), choice.state === state, countOf(state)))}
      </nav>
      <nav class="ways-to-look" aria-label={t('jobs.kinds')}>
        {link({ kind: '' }, t('jobs.allKinds'), choice.kind === '')}
        {KINDS.map((it) => link({ kind: it }, t('jobs.kind', { kind: it }), choice.kind === it))}
      </nav>
      <p class="count" role="status">
        {t('jobs.count', { count: jobs.totalCount })}
      </p>
      <ul class="plain">
        {jobs.nodes.map((job) => (
          <Item key={job.databaseId} {...{ frame: v.frame, job, choice, fault }} />
        ))}
      </ul>
      <NextPage href={hasNextPage ? addressOf({ ...choice, after: endCursor! }) : null} />
    </Layout>,
    status,
  );
}

type Job = NonNullable<PageJobsQuery['jobs']>['nodes'][number];

interface ItemProps {
  readonly frame: Frame;
  readonly job: Job;
  readonly choice: Choice;
  readonly fault: Fault | null;
}

function Item({ frame, job, choice, fault }: ItemProps) {
  const { t, dataLang } = useTexts();
  const { databaseId, kind, state, subjectType, subjectId, dataset } = job;
  const title = t('jobs.kind', { kind });
  const verbs = { FAILED: 'retry', CANCELLED: 'retry', QUEUED: 'cancel', RUNNING: 'cancel' } as const;
  const verb = state in verbs && !job.cancelRequested ? verbs[state as keyof typeof verbs] : null;
  const subject = dataset ? dataset.title || dataset.name : subjectId;
  return (
    <li id={`job-${databaseId}`}>
      <div class="row">
        <strong>{title}</strong>
        {dataset && subjectType === 'resource' ? (
          <a href={resourceAt(dataset.name, subjectId)} lang={dataLang}>
            {subject}
          </a>
        ) : (
          <span>{subject}</span>
        )}
        {dataset && <code class="hint">{subjectId}</code>}
        {verb && (
          <Form action={`${PATH}/${encodeURIComponent(databaseId)}`} token={frame.token}>
            {Object.entries(choice).map(([name, value]) => value && <input type="hidden" {...{ name, value }} />)}
            <button
              type="submit"
              class="link"
              name="verb"
              value={verb}
              aria-label={t('admin.verbNamed', { verb: t(`jobs.${verb}`), name: `${title}, ${subject}` })}
            >
              {t(`jobs.${verb}`)}
            </button>
          </Form>
        )}
      </div>
      <JobFacts job={job} />
      {fault?.id === databaseId && <Notice text={fault.text} bad />}
    </li>
  );
}
