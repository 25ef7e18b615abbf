/** About page: the text of the site's operator. */
import type { PageAboutQuery } from '../../../src/generated/operations.ts';
import { type Frame, Layout } from './layout.tsx';

export const AboutPage = ({ frame, site }: { frame: Frame; site: PageAboutQuery['site'] }) => (
  <Layout
    frame={frame}
    title="About"
    meta={{ path: '/about', description: site.description || `About ${site.title}.` }}
  >
    <h1>About {site.title}</h1>
    {site.aboutHtml ? (
      // biome-ignore lint/security/noDangerouslySetInnerHtml: made of Markdown by markdownToHtml, which lets no tags through
      <div class="text" dangerouslySetInnerHTML={{ __html: site.aboutHtml }} />
    ) : (
      <p>{site.description || 'This catalog publishes open data.'}</p>
    )}
  </Layout>
);
