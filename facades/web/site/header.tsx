/** Header of all pages: logo, navigation, search, account and languages. One line, with menus instead of rows of links. */
import { Form } from './form.tsx';
import type { Frame } from './frame.ts';
import { ICONS } from './icon-files.ts';
import { LanguageChooser } from './languages.tsx';
import { Menu } from './menu.tsx';
import { OwnText } from './own-text.tsx';
import { imageSource } from './picture.tsx';
import { SearchBox } from './search-box.tsx';
import { useTexts } from './use-texts.ts';

const NAVIGATION = {
  '/dataset': 'datasets',
  '/organization': 'organizations',
  '/group': 'groups',
  '/tag': 'tags',
  '/about': 'about',
} as const;

/** `hasSearch`: false for a page with a search form of its own. */
export function Header({ frame, hasSearch }: { frame: Frame; hasSearch: boolean }) {
  const { t } = useTexts();
  const { viewer, registration, addsDatasets } = frame;
  const links = Object.entries(NAVIGATION).map(([path, label]) => (
    <a key={path} href={path}>
      {t(`layout.${label}`)}
    </a>
  ));
  const add = addsDatasets && <a href="/dataset/new">{t('layout.addDataset')}</a>;
  const register = registration && <a href="/user/register">{t('layout.register')}</a>;
  return (
    <header>
      <div class="bar">
        <a class="site" href="/">
          <img src={imageSource(frame.logo, frame) ?? ICONS.svg} alt="" height="32" />
          <span>{frame.siteTitle}</span>
        </a>
        <nav class="main" aria-label={t('layout.main')}>
          {links}
        </nav>
        {hasSearch && <SearchBox path="/dataset" label={t('layout.search')} isSmall />}
        {viewer ? (
          <Account {...{ frame, viewer }}>{add}</Account>
        ) : (
          <nav class="account" aria-label={t('layout.account')}>
            <a href="/user/login">{t('layout.logIn')}</a>
            {register}
          </nav>
        )}
        <LanguageChooser languages={frame.languages} />
        {/* On narrow screens, in place of the navigation. */}
        <Menu icon="menu" label={t('layout.menu')} class="whole">
          {links}
          {!viewer && add}
          {!viewer && register}
        </Menu>
      </div>
      <OwnText frame={frame} slot="header" />
    </header>
  );
}

interface AccountProps {
  readonly frame: Frame;
  readonly viewer: NonNullable<Frame['viewer']>;
  readonly children: preact.ComponentChildren;
}

function Account({ frame, viewer: { name, displayName, sysadmin }, children }: AccountProps) {
  const { t } = useTexts();
  return (
    <Menu icon="user" label={t('layout.account')} text={displayName} class="own">
      {children}
      <a href="/dashboard">{t('manage.dashboard')}</a>
      <a href={`/user/${encodeURIComponent(name)}`}>{t('user.profile')}</a>
      {sysadmin && <a href="/ckan-admin">{t('admin.title')}</a>}
      <Form action="/user/logout" token={frame.token}>
        <button type="submit" class="link">
          {t('layout.logOut')}
        </button>
      </Form>
    </Menu>
  );
}
