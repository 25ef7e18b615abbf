/** Revision page: one write, with the objects that it changed. */
import type { PageRevisionQuery } from '../../../src/generated/operations.ts';
import { Moment } from './cards.tsx';
import { Fact } from './facts.tsx';
import { type Frame, Layout } from './layout.tsx';

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
  const { nodes, totalCount } = revision.objectConnection;
  return (
    <Layout frame={frame} title="Revision">
      <h1>Revision</h1>
      <dl>
        <Fact label="Time">
          <Moment instant={revision.createdAt} />
        </Fact>
        <Fact label="Author">
          {revision.actor ? (
            <a href={`/user/${encodeURIComponent(revision.actor.name)}`}>{revision.actor.displayName}</a>
          ) : (
            'Anonymous'
          )}
        </Fact>
        {revision.message && <Fact label="Message">{revision.message}</Fact>}
        <Fact label="Identifier">
          <code>{revision.databaseId}</code>
        </Fact>
      </dl>
      <h2>Changed objects</h2>
      <ul>
        {nodes.map(({ kind, name, action }) => (
          <li key={`${kind} ${name} ${action}`}>
            {wordOf(action)}: {kind.toLowerCase()}{' '}
            {FOLDERS[kind] ? <a href={FOLDERS[kind] + encodeURIComponent(name)}>{name}</a> : name}
          </li>
        ))}
      </ul>
      {totalCount > nodes.length && <p>and {(totalCount - nodes.length).toLocaleString('en')} more</p>}
    </Layout>
  );
};

/** `CREATED` → `Created`. */
const wordOf = (action: string): string => action.charAt(0) + action.slice(1).toLowerCase();
