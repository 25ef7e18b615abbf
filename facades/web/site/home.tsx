/** Home page, until there is a full web interface: content counts and links to the APIs. */
import { type Frame, Layout } from './layout.tsx';

interface HomeProps {
  readonly frame: Frame;
  readonly description: string;
  readonly datasetCount: number;
}

export function HomePage({ frame, description, datasetCount }: HomeProps) {
  return (
    <Layout frame={frame} title="Start">
      <h1>{frame.siteTitle}</h1>
      {description && <p>{description}</p>}
      <p>
        {datasetCount === 1 ? 'One dataset is' : `${datasetCount} datasets are`} in this catalog. You can read them
        through these APIs:
      </p>
      <ul>
        <li>
          <a href="/graphql">The graph</a>, with an editor to try it
        </li>
        <li>
          <a href="/api/docs">The Action API</a>, with every action and its parameters
        </li>
        <li>
          <a href="/api/3/action/package_list">The names of all datasets</a>, as programs see them
        </li>
      </ul>
    </Layout>
  );
}
