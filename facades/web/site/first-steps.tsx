/** First steps of an administrator, on the home page of an empty catalog. */
import { useTexts } from './use-texts.ts';

const SETTINGS = 'catalog.site_title, catalog.site_logo, catalog.site_intro_text, catalog.site_about';

export function FirstSteps() {
  const { t, rich } = useTexts();
  return (
    <section class="steps">
      <h2>{t('steps.title')}</h2>
      <ol>
        <li>
          <h3>{t('steps.data')}</h3>
          <p>{rich('steps.dataText', { command: <code key="command">npm run demo</code> })}</p>
        </li>
        <li>
          <h3>{t('steps.publish')}</h3>
          <p>
            {rich('steps.publishText', {
              organization: (text) => <a href="/organization/new">{text}</a>,
              dataset: (text) => <a href="/dataset/new">{text}</a>,
              page: <code key="page">docs/moving.md</code>,
            })}
          </p>
        </li>
        <li>
          <h3>{t('steps.name')}</h3>
          <p>{rich('steps.nameText', { settings: <code key="settings">{SETTINGS}</code> })}</p>
        </li>
      </ol>
    </section>
  );
}
