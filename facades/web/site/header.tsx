/** Header of all pages: logo, navigation, search, account and languages. One line, with menus instead of rows of links. */
import { TOKEN_FIELD } from '../../shared/session.ts';
import type { Frame } from './frame.ts';
import { ICONS } from './icon-files.ts';
import { languagesOf } from './languages.ts';
import { html, type Markup, view } from './markup.ts';
import { menuOf } from './menu.ts';
import { OwnText } from './own-text.tsx';
import { imageSource } from './picture.tsx';
import { Region } from './region.tsx';
import { smallSearchBox } from './search-box.tsx';
import type { Texts } from './texts.ts';
import { useTexts } from './use-texts.ts';

const NAVIGATION = {
  '/dataset': 'datasets',
  '/organization': 'organizations',
  '/group': 'groups',
  '/tag': 'tags',
  '/dashboards': 'dashboards',
  '/about': 'about',
} as const;

const link = (path: string, text: string): Markup => html`<a href="${path}">${text}</a>`;

/** `hasSearch`: false for a page with a search form of its own. */
export function Header({ frame, hasSearch }: { frame: Frame; hasSearch: boolean }) {
  const texts = useTexts();
  const { t } = texts;
  const { viewer, registration, addsDatasets } = frame;
  const links = Object.entries(NAVIGATION).map(([path, label]) => link(path, t(`layout.${label}`)));
  const add = addsDatasets && link('/dataset/new', t('layout.addDataset'));
  const register = registration && link('/user/register', t('layout.register'));
  const parts = {
    site: () => siteOf(frame),
    navigation: () => html`<nav class="main" aria-label="${t('layout.main')}">${links}</nav>`,
    search: () => hasSearch && smallSearchBox('/dataset', t('layout.search'), t),
    account: () =>
      viewer
        ? accountOf(frame, viewer, add, t)
        : html`<nav class="account" aria-label="${t('layout.account')}">${link('/user/login', t('layout.logIn'))}${register}</nav>`,
    languages: () => languagesOf(frame.languages, texts),
    // On narrow screens, in place of the navigation.
    menu: () =>
      menuOf({ icon: 'menu', label: t('layout.menu'), kind: 'whole' }, [...links, !viewer && add, !viewer && register]),
    text: () => <OwnText frame={frame} slot="header" />,
  };
  const fallback = () => {
    const { site, navigation, search, account, languages, menu, text } = parts;
    const bar = html`<div class="bar">${[site(), navigation(), search(), account(), languages(), menu()]}</div>`;
    return view`${bar}${text()}`;
  };
  return view`<header>${<Region {...{ frame, name: 'header', parts, fallback }} />}</header>`;
}

/** Logo and title of the site, with a link to the home page. */
function siteOf(frame: Frame): Markup {
  const logo = imageSource(frame.logo, frame) ?? ICONS.svg;
  return html`<a class="site" href="/"><img src="${logo}" alt height="32"/><span>${frame.siteTitle}</span></a>`;
}

/** The menu of a signed-in visitor. */
function accountOf(
  { token }: Frame,
  { name, displayName, sysadmin }: NonNullable<Frame['viewer']>,
  add: Markup | false,
  t: Texts['t'],
): Markup {
  const field = html`<input type="hidden" name="${TOKEN_FIELD}" value="${token()}"/>`;
  const button = html`<button type="submit" class="link">${t('layout.logOut')}</button>`;
  return menuOf({ icon: 'user', label: t('layout.account'), text: displayName, kind: 'own' }, [
    add,
    link('/dashboard', t('manage.dashboard')),
    link(`/user/${encodeURIComponent(name)}`, t('user.profile')),
    sysadmin && link('/ckan-admin', t('admin.title')),
    html`<form method="post" action="/user/logout">${field}${button}</form>`,
  ]);
}
