/** Revision page: one write, with the objects that it changed. */
import type { PageRevisionQuery } from '../../../src/generated/operations.ts';
import { Moment } from './cards.tsx';
import { Fact } from './facts.tsx';
import { type Frame, Layout } from './layout.tsx';
import { useTexts } from './use-texts.ts';

type Revision = PageRevisionQuery['revision'];

/** First segment of the page of an object; null for objects without a page. */
const FOLDERS: Readonly<Record<Revision['objectConnection']['nodes'][number]['kind'], string | null>> = {
  DATASET: '/dataset/',
  GROUP: '/group/',
  ORGANIZATION: '/organization/',
  USER: '/user/',
  TAG: '/dataset?tags=',
  VOCABULARY: null,
};

export const RevisionPage = ({ frame, revision }: { frame: Frame; revision: Revision }) => {
  const { t, rich } = useTexts();
  const { nodes, totalCount } = revision.objectConnection;
  return (
    <Layout frame={frame} title={t('revision.title')}>
      <h1>{t('revision.title')}</h1>
      <dl>
        <Fact label={t('revision.time')}>
          <Moment instant={revision.createdAt} />
        </Fact>
        <Fact label={t('revision.author')}>
          {revision.actor ? (
            <a href={`/user/${encodeURIComponent(revision.actor.name)}`}>{revision.actor.displayName}</a>
          ) : (
            t('revision.anonymous')
          )}
        </Fact>
        {revision.message && <Fact label={t('revision.message')}>{revision.message}</Fact>}
        <Fact label={t('common.identifier')}>
          <code>{revision.databaseId}</code>
        </Fact>
      </dl>
      <h2>{t('revision.objects')}</h2>
      <ul>
        {nodes.map(({ kind, name, action }) => (
          <li key={`${kind} ${name} ${action}`}>
            {rich('revision.object', {
              action,
              kind,
              object: FOLDERS[kind] ? <a href={FOLDERS[kind] + encodeURIComponent(name)}>{name}</a> : name,
            })}
          </li>
        ))}
      </ul>
      {totalCount > nodes.length && <p>{t('count.more', { count: totalCount - nodes.length })}</p>}
    </Layout>
  );
};
