/** One request for a page: caller, form fields, and response functions. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { JSX } from 'preact';
import { PageFrameDocument } from '../../../src/generated/operations.ts';
import type { RunOperation } from '../../../src/graph/run.ts';
import { type Call, withRequest } from '../../../src/kernel/call.ts';
import { CatalogError, type ErrorKind } from '../../../src/kernel/errors.ts';
import type { Settings } from '../../../src/kernel/settings.ts';
import { UnreadableBody } from '../../shared/bodies.ts';
import { retryHeader } from '../../shared/http.ts';
import { discardFiles, type Incoming } from '../../shared/multipart.ts';
import { isSafe, type Sessions } from '../../shared/session.ts';
import { pathOfSite } from '../../shared/slash.ts';
import { type PageOptions, sendPage } from './answer.ts';
import { type Faults, inEnglish } from './form.tsx';
import { languageOf, localized } from './language.ts';
import type { Frame } from './layout.tsx';
import { errorPage, messagePage } from './message.tsx';
import { imageSources } from './picture.tsx';
import { keyOfPage, type PageCache } from './rendered.ts';
import { stylesOf } from './style.ts';
import { FILES, type FormKind, isBusy, nothingSubmitted, readSubmitted, type SentFile, TooLarge } from './submitted.ts';
import type { Locale } from './texts.ts';
import { type Theme, themeOf } from './theme.ts';

/** Background of maps. */
export interface Maps {
  /** Template of the URLs of tiles (catalog.maps.tiles). */
  readonly tiles: string | null;
  /** Credit of the tiles (catalog.maps.attribution). */
  readonly attribution: string;
}

export interface SiteOptions {
  readonly run: RunOperation;
  /** `checked`: the form's CSRF token is valid, so the session counts for a request that changes something. */
  readonly callFor: (req: IncomingMessage, anonymously?: boolean, checked?: boolean) => Call | Promise<Call>;
  readonly sessions: Sessions;
  /** URL of the site, without a trailing slash. */
  readonly siteUrl: string;
  /** Called for every request, because the title can change at run time. */
  readonly siteTitle: () => string;
  /** CSS rules of the site (catalog.site_custom_css). */
  readonly customCss: () => string;
  /** Called for every request, because the theme can change at run time. */
  readonly theme: () => Theme;
  /** Folder of the theme (catalog.theme). */
  readonly themeFolder: string | null;
  /** Origins from which pages may load images of organizations, groups and texts (catalog.pages.image_hosts). */
  readonly imageHosts: readonly string[];
  /** Fields of the search pages' facets (search.facets.default). */
  readonly facets: readonly string[];
  readonly maps: Maps;
  /** Sites that may show previews in frames (catalog.views.embedding). */
  readonly embedding: readonly string[];
  /** Languages of pages (catalog.locales_offered). */
  readonly locales: readonly Locale[];
  /** Language of the site and of its data (catalog.locale_default). */
  readonly defaultLocale: string;
  /** Whether visitors may create accounts (catalog.auth.create_user_via_web). */
  readonly registration: boolean;
  /** Whether a registered user chooses a password by a mailed link (catalog.auth.confirm_email). */
  readonly confirmsEmail: boolean;
  /** Maximum length of a list (catalog.limits.rows). */
  readonly rows: number;
  /** Seconds that caches may use a page of visitors (catalog.pages.max_age). */
  readonly maxAge: number;
  /** Maximum bytes of the forms in which people write long texts (catalog.limits.json_body). */
  readonly maxForm: number;
  /** The site's additional header for API keys (apikey_header_name). */
  readonly keyHeader: string;
  /** Storage for files of forms. */
  readonly incoming: Incoming;
  readonly pages: PageCache;
}

interface VisitPageOptions extends Pick<PageOptions, 'headers' | 'vary' | 'fragment'> {
  /**
   * Name of a page that is made of nothing but its URL, its frame and `madeOf`: for visitors, it is cached. A name must not stand for two
   * pages of one URL.
   */
  readonly cachedAs?: string;
  /** All data outside the page's fragment. Default: the results of `run`. */
  readonly madeOf?: readonly unknown[];
}

export interface Visit {
  readonly call: Call;
  readonly frame: Frame;
  readonly run: RunOperation;
  readonly sessions: Sessions;
  readonly req: IncomingMessage & { readonly params: Readonly<Record<string, string>>; readonly query: Query };
  readonly res: ServerResponse;
  /** Fields of the form; empty for GET. The last of repeated fields counts. */
  readonly form: Readonly<Record<string, string>>;
  /** Files of the form, in the order in which they were sent. */
  readonly files: readonly SentFile[];
  /** Whether the form belongs to a session that has ended. Its texts are here, and nothing can be written with them. */
  readonly isStale: boolean;
  /** Maximum length of a list (catalog.limits.rows). */
  readonly rows: number;
  /** `headers`: further headers. A page that varies by Accept says so by `vary`. */
  page(page: JSX.Element, status?: number, options?: VisitPageOptions): void;
  /** Redirects the browser to a path of this site, by GET. */
  goTo(path: string): void;
}

type Query = Readonly<Record<string, unknown>>;

export const STATUS: Readonly<Record<ErrorKind, number>> = {
  NOT_FOUND: 404,
  NOT_AUTHORIZED: 403,
  VALIDATION: 422,
  CONFLICT: 409,
  GONE: 410,
  LIMIT: 429,
  SEARCH: 422,
  UNAVAILABLE: 503,
  RATE_LIMIT: 429,
};

/** Options of every page, also of those without data. */
export type FrameOptions = Pick<
  SiteOptions,
  'siteTitle' | 'siteUrl' | 'registration' | 'locales' | 'defaultLocale' | 'theme'
>;

export const frameOptions = (settings: Settings, log: Logger): FrameOptions => ({
  siteTitle: () => settings['catalog.site_title'],
  siteUrl: settings['catalog.site_url'],
  registration: settings['catalog.auth.create_user_via_web'],
  locales: settings['catalog.locales_offered'] as readonly Locale[],
  defaultLocale: settings['catalog.locale_default'],
  theme: themeOf(settings, log),
});

/** The frame before the caller is known. */
export const anonymousFrame = (
  { siteTitle, siteUrl, registration, theme }: FrameOptions,
  { texts, languages }: Pick<Frame, 'texts' | 'languages'>,
): Frame => ({
  texts,
  languages,
  siteTitle: siteTitle(),
  siteUrl,
  registration,
  viewer: null,
  addsDatasets: false,
  token: () => '',
  logo: theme().logo?.address ?? '',
  images: [],
  ownTexts: theme().texts,
  templates: theme().templates,
  styles: stylesOf({ mainCss: '', customCss: '' }, theme()),
});

/** Cache-Control of pages, feeds and site maps that everyone may read. */
export const publicCache = (maxAge: number): string =>
  maxAge === 0 ? 'public, no-cache' : `public, max-age=${maxAge}, stale-while-revalidate=${maxAge}`;

/** An Express handler for a page. Checks the CSRF token of forms first. Errors of `work` become an error page. */
export function visiting(
  options: SiteOptions,
  work: (visit: Visit) => Promise<void>,
  kind: FormKind = {},
): RequestHandler {
  const { run, callFor, sessions } = options;
  const root = pathOfSite(options.siteUrl);
  return async (req, res, next) => {
    const language = languageOf(req, options);
    let call: Call | undefined;
    let token: string | undefined;
    let frame: Frame = { ...anonymousFrame(options, language), token: () => (token ??= sessions.tokenFor(req, res)) };
    let texts: Visit['form'] | undefined;
    const tokens: string[] = [];
    /** A page with a form is for one reader: its token belongs to the cookie. */
    const isPublic = () => call?.actor.userId === null && token === undefined && isSafe(req);
    const results: unknown[] = [];
    let isWhole = true;
    const noting: RunOperation = async (...operation) => {
      try {
        const result = await run(...operation);
        results.push(result);
        return result;
      } catch (thrown) {
        isWhole = false; // the page may show the refusal, which is not among the results
        throw thrown;
      }
    };
    const page: Visit['page'] = (vnode, status = 200, { cachedAs, madeOf = results, ...more } = {}) =>
      sendPage(res, status, vnode, {
        ...more,
        ...(cachedAs &&
          isWhole && {
            rendered: (...work) => options.pages.page(keyOfPage(cachedAs, frame, madeOf), ...work),
          }),
        headers: { ...retryHeader(res, status), ...more.headers },
        ...{ root, images: frame.images, texts: language.texts, prefix: language.languages.prefix },
        vary: [...language.vary, ...(more.vary ?? []), options.keyHeader],
        publicCache: () => (status === 200 && isPublic() ? publicCache(options.maxAge) : null),
      });
    try {
      const posted = req.method === 'POST';
      const submitted = posted ? await readSubmitted(req, options, kind, tokens) : nothingSubmitted;
      const { form, files, isStale, refusal } = submitted;
      texts = form;
      if (refusal) throw refusal;
      call = await callFor(req, false, posted);
      if (isSafe(req)) call = withRequest(call, { read: new Map() });
      if (isStale) call = { ...call, actor: { ...call.actor, limitedTo: 'read' } };
      frame = await callersFrame(frame, call, options);
      const goTo = (path: string) =>
        void res
          .writeHead(303, { location: root + localized(path, language.languages), 'cache-control': 'no-store' })
          .end();
      const sent = { req: req as Visit['req'], form, files, isStale };
      await work({ ...sent, call, frame, run: noting, sessions, rows: options.rows, res, page, goTo });
    } catch (thrown) {
      const refused = res.headersSent ? null : refusalPage(thrown, { frame, texts, path: req.url }, kind);
      if (refused) page(...refused);
      else next(thrown);
    } finally {
      if (tokens.length > 0) await discardFiles(tokens, options.incoming); // does nothing for files that are stored
    }
  };
}

/** The frame for a known caller. */
async function callersFrame(
  frame: Frame,
  call: Call,
  { run, imageHosts, theme }: Pick<SiteOptions, 'run' | 'imageHosts' | 'theme'>,
): Promise<Frame> {
  const { viewer, site } = await run(PageFrameDocument, {}, call);
  return {
    ...frame,
    viewer: viewer ?? null,
    addsDatasets: site.viewerCanCreateDatasets,
    logo: site.logo || frame.logo,
    images: imageSources(imageHosts, site.logo),
    styles: stylesOf(site, theme()),
  };
}

interface Refused {
  readonly frame: Frame;
  /** Fields of the form; undefined if it could not be read. */
  readonly texts: Visit['form'] | undefined;
  /** Path of the request with its query. */
  readonly path: string;
}

/** The page of an error, and its status. Null for unknown errors. */
function refusalPage(
  thrown: unknown,
  { frame, texts, path }: Refused,
  { again }: FormKind,
): [page: JSX.Element, status: number] | null {
  const { t, rich } = frame.texts;
  if (thrown instanceof TooLarge)
    return [messagePage(frame, t('error.TOO_LARGE'), t('error.TOO_LARGE_text'), thrown.message), 413];
  const known = thrown instanceof UnreadableBody ? new CatalogError('VALIDATION', thrown.message) : thrown;
  if (!(known instanceof CatalogError)) return null;
  const status = STATUS[known.kind];
  if (again && texts && isBusy(known)) {
    const message = rich('edit.busy', { reason: inEnglish(known.message) });
    return [again({ frame, texts, path, message }), status];
  }
  return [errorPage(frame, known), status];
}

/** As `visiting`. Redirects anonymous visitors to the login when access is refused, because they may have access afterwards. */
export const visitingOrLogin = (options: SiteOptions, work: (visit: Visit) => Promise<void>): RequestHandler =>
  visiting(options, async (v) => {
    try {
      await work(v);
    } catch (thrown) {
      if (!(thrown instanceof CatalogError) || thrown.kind !== 'NOT_AUTHORIZED' || v.frame.viewer) throw thrown;
      v.goTo(`/user/login?notice=needed&came_from=${encodeURIComponent(v.req.url ?? '/')}`);
    }
  });

/** A refusal by the form itself, in the language of the page. */
export class FormRefusal extends CatalogError {}

/** Field of the form that a problem is about. Views and types of datasets declare fields of their own. */
function fieldOf([head = 'form', name]: readonly (string | number)[], fields: readonly string[]): string {
  if (head === 'upload' || head === 'imageUpload') return FILES;
  const own = `fields-${head === 'fields' ? name : head}`;
  return !fields.includes(String(head)) && fields.includes(own) ? own : String(head);
}

/** Form errors from a CatalogError. Problems of fields that the form lacks apply to the whole form. */
export function faultsOf(refusal: CatalogError, fields: readonly string[]): Faults {
  const faults: Record<string, string> = Object.create(null);
  for (const { path, message } of refusal.problems) {
    const field = fieldOf(path, fields);
    const known = fields.includes(field);
    const key = known ? field : 'form';
    const said = known || path.length === 0 ? message : `${field}: ${message}`;
    faults[key] = faults[key] ? `${faults[key]} ${said}` : said;
  }
  if (refusal.problems.length === 0) faults.form = refusal.message;
  if (refusal instanceof FormRefusal) return faults;
  return Object.fromEntries(Object.entries(faults).map(([key, said]) => [key, inEnglish(said)]));
}

/** A path of this site from untrusted input; null for anything that could lead to another site. */
export function localPath(text: unknown): string | null {
  if (typeof text !== 'string' || !/^\/(?![/\\])/.test(text) || /[\p{Cc}\\]/u.test(text)) return null;
  const here = 'http://site.invalid';
  if (!URL.canParse(text, here)) return null;
  const { origin, pathname, search } = new URL(text, here);
  return origin === here && !pathname.startsWith('//') ? pathname + search : null;
}
