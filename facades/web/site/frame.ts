/** Data of the frame around every page. */

/** The visitor, as far as the frame shows it; null when anonymous. */
export interface Viewer {
  readonly name: string;
  readonly displayName: string;
}

export interface Frame {
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
  /** Paths of the style sheets, in order. */
  readonly styles: readonly string[];
}

/** Absolute URL of an image, for other sites; null if browsers cannot load it. */
export const imageOf = (image: string, { siteUrl }: Frame): string | null =>
  /^https?:\/\//.test(image) ? image : /^\/(?![/\\])/.test(image) ? siteUrl + image : null;
