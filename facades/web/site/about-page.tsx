/** About page: the text of the site's operator. */
import type { PageAboutQuery } from '../../../src/generated/operations.ts';
import { HtmlText } from './html-text.tsx';
import { type Frame, Layout } from './layout.tsx';
import { useTexts } from './use-texts.ts';

export function AboutPage({ frame, site }: { frame: Frame; site: PageAboutQuery['site'] }) {
  const { t, dataLang } = useTexts();
  return (
    <Layout
      frame={frame}
      title={t('about.title')}
      meta={{ path: '/about', description: site.description || t('about.description', { site: site.title }) }}
    >
      <h1>{t('about.heading', { site: site.title })}</h1>
      {site.aboutHtml ? (
        <HtmlText frame={frame} html={site.aboutHtml} />
      ) : (
        <p lang={site.description ? dataLang : undefined}>{site.description || t('about.empty')}</p>
      )}
    </Layout>
  );
}
