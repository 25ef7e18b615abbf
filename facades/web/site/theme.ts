/**
 * Theme of the site: a folder with a style sheet, a logo, messages, texts and templates (catalog.theme). Files that change are read again.
 * A faulty file is logged and ignored.
 */
import { statSync } from 'node:fs';
import type { Settings } from '../../../src/kernel/settings.ts';
import { imageSources } from './picture.tsx';
import { filesReader, type ThemeFiles, templateFile } from './theme-files.ts';
import { type HtmlLimits, htmlFault, styleFault } from './theme-html.ts';
import { withDefaults } from './theme-messages.ts';
import { compile, type RegionName, type Template, templateFault } from './theme-templates.ts';

export interface Theme extends Pick<ThemeFiles, 'css' | 'logo' | 'messages' | 'texts'> {
  /** Templates by region, such as `footer`, or by region and language, such as `footer.de`. */
  readonly templates: Readonly<Record<string, Template>>;
}

const NO_THEME: Theme = { css: null, logo: null, messages: {}, texts: {}, templates: {} };

/** ms for which the files are not looked at again. */
const INTERVAL = 1_000;

interface ReaderOptions {
  /** Origins from which pages load images, besides the site (catalog.pages.image_hosts). */
  readonly images?: readonly string[];
  readonly now?: () => number;
}

type LogFault = (
  fault: { readonly theme: string; readonly file?: string; readonly reason?: string },
  message: string,
) => void;

/** A log for faults. */
export interface ThemeLog {
  readonly error: LogFault;
  readonly warn: LogFault;
}

/** Reads the theme of a folder. Call the result for each request: it looks at the files at most once a second. */
export function themeReader(
  folder: string | null,
  log: ThemeLog,
  { images = [], now = () => performance.now() }: ReaderOptions = {},
): () => Theme {
  if (folder === null) return () => NO_THEME;
  const at = { theme: folder };
  const ignored = (file: string, reason: string) => log.error({ ...at, file, reason }, 'theme file ignored');
  const look = filesReader(folder, ignored);
  let theme = NO_THEME;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isMissing = false;
  let known = new Set<string>();

  function readTheme(): void {
    const files = look();
    if (files === null) return;
    const { css, logo, texts } = files;
    const limits = { hasFile: (name: string) => files.names.has(name), images };
    const messages = withDefaults(files.messages);
    const { templates, faults } = templatesOf({ ...files, messages }, limits, ignored);
    const doubts = doubtsOf(files, limits);
    for (const [file, reason] of faults) if (!known.has(file + reason)) ignored(file, reason);
    for (const [file, reason] of doubts)
      if (!known.has(file + reason)) log.warn({ ...at, file, reason }, 'theme file has a fault');
    known = new Set([...faults, ...doubts].map(([file, reason]) => file + reason));
    theme = { css, logo, texts, messages, templates };
  }

  return () => {
    if (now() - lookedAt < INTERVAL) return theme;
    lookedAt = now();
    const isHere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (!isHere && !isMissing) log.error(at, 'theme ignored: no such folder (catalog.theme)');
    isMissing = !isHere;
    readTheme();
    return theme;
  };
}

/** A file and what is wrong with it. */
type Fault = readonly [file: string, reason: string];

/** Usable templates, and the faults of the others. */
function templatesOf(
  { sources, messages }: Pick<ThemeFiles, 'sources' | 'messages'>,
  limits: HtmlLimits,
  logFault: (file: string, reason: string) => void,
) {
  const templates: Record<string, Template> = {};
  const faults: Fault[] = [];
  for (const [name, source] of Object.entries(sources)) {
    const region = name.split('.')[0] as RegionName;
    const file = templateFile(name);
    const reason = templateFault(region, source, limits, messages);
    if (reason === null) templates[name] = compile(region, source, limits, (fault) => logFault(file, fault));
    else faults.push([file, reason]);
  }
  return { templates, faults };
}

/** Faults of files that are used in spite of them: missing images and fonts, and those of other hosts. */
function doubtsOf({ css, texts }: ThemeFiles, limits: HtmlLimits): Fault[] {
  const ofTexts = Object.entries(texts).map(([name, html]) => ({
    file: `${name}.md`,
    reason: htmlFault(html, limits),
  }));
  const ofStyle = { file: 'theme.css', reason: css && styleFault(css.content.toString(), limits) };
  return [ofStyle, ...ofTexts].flatMap(({ file, reason }) => (reason === null ? [] : [[file, reason] as const]));
}

const readers = new WeakMap<object, () => Theme>();

/** The theme of a catalog, which its pages and its error pages share. */
export function themeOf(
  settings: Pick<Settings, 'catalog.theme' | 'catalog.pages.image_hosts'>,
  log: ThemeLog,
): () => Theme {
  const images = imageSources(settings['catalog.pages.image_hosts'], '');
  const reader = readers.get(settings) ?? themeReader(settings['catalog.theme'], log, { images });
  readers.set(settings, reader);
  return reader;
}
