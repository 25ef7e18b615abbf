/** Data of the frame around every page. */

import type { Locale, Texts } from './texts.ts';
import type { Template } from './theme-templates.ts';

/** The visitor, as far as the frame shows it; null when anonymous. */
export interface Viewer {
  readonly name: string;
  readonly displayName: string;
  readonly sysadmin: boolean;
}

export interface Frame {
  /** Texts in the language of the page, for functions outside of components. */
  readonly texts: Texts;
  /** The page in its languages. */
  readonly languages: PageLanguages;
  readonly siteTitle: string;
  readonly viewer: Viewer | null;
  /** Whether the visitor may create datasets. */
  readonly addsDatasets: boolean;
  /** URL of the site, without a trailing slash. */
  readonly siteUrl: string;
  /** CSRF token of this page's forms. Makes the page personal: for visitors it sets a cookie. Called while the page is rendered. */
  readonly token: () => string;
  /** Whether visitors may create accounts. */
  readonly registration: boolean;
  /** URL of the logo; empty if there is none. */
  readonly logo: string;
  /** Origins from which pages load images, besides the site itself. */
  readonly images: readonly string[];
  /** HTML of the theme by slot, or by slot and language, such as `footer.de`. */
  readonly ownTexts: Readonly<Record<string, string>>;
  /** Templates of the theme by region, or by region and language, such as `footer.de`. */
  readonly templates: Readonly<Record<string, Template>>;
  /** Paths of the style sheets, in order. */
  readonly styles: readonly string[];
}

export interface PageLanguages {
  readonly offered: readonly Locale[];
  /** Language of the data, unless it says otherwise. */
  readonly content: string;
  /** Prefix of the page's own URL, such as `/de`; empty if it has none. */
  readonly prefix: string;
  /** Path of the page with its query, without a prefix. */
  readonly path: string;
}

/** Absolute URL of an image, for other sites; null if browsers cannot load it. */
export const imageOf = (image: string, { siteUrl }: Frame): string | null =>
  /^https?:\/\//.test(image) ? image : /^\/(?![/\\])/.test(image) ? siteUrl + image : null;
