/** Organization or group page: description and datasets. */
import type { PageGroupQuery } from '../../../src/generated/operations.ts';
import { Alternates, Formats } from './formats.tsx';
import { type Frame, Layout } from './layout.tsx';

export type GroupOrOrganization = NonNullable<PageGroupQuery['groupOrOrganization']>;

interface GroupProps {
  readonly frame: Frame;
  readonly group: GroupOrOrganization;
  /** Absolute URL. */
  readonly address: string;
}

export function GroupPage({ frame, group, address }: GroupProps) {
  const { displayName, description, datasets, imageDisplayUrl } = group;
  const { nodes, totalCount } = datasets;
  return (
    <Layout frame={frame} title={displayName} head={<Alternates address={address} />}>
      <h1>{displayName}</h1>
      {group.state !== 'active' && <p class="notice bad">This is {group.state}.</p>}
      {/^https?:/.test(imageDisplayUrl) && <img class="logo" src={imageDisplayUrl} alt="" />}
      {description && <p class="quiet">{description}</p>}
      <h2>{totalCount === 1 ? 'One dataset' : `${totalCount} datasets`}</h2>
      <ul>
        {nodes.map(({ name, title }) => (
          <li key={name}>
            <a href={`/dataset/${encodeURIComponent(name)}`}>{title}</a>
          </li>
        ))}
      </ul>
      {totalCount > nodes.length && <p class="hint">These are the {nodes.length} that changed last.</p>}
      <h2>For programs</h2>
      <Formats path={new URL(address).pathname} />
    </Layout>
  );
}
