/**
 * Theme of the site: a folder with a style sheet, a logo, messages and texts (catalog.theme). Files that change are read
 * again. A faulty file is logged and ignored.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Logger } from 'pino';
import { LANGUAGES, type Language } from '../../../src/generated/texts.ts';
import { markdownToHtml } from '../../../src/infra/markdown.ts';
import type { Settings } from '../../../src/kernel/settings.ts';
import { hashOf } from '../../shared/packed.ts';
import { type Messages, messageFault } from './theme-messages.ts';

/** Slots of pages for texts of the theme. */
export const SLOTS = ['header', 'home', 'footer'] as const;
export type Slot = (typeof SLOTS)[number];

export interface ThemeFile {
  /** Path on the site, with a hash of the content. */
  readonly address: string;
  readonly type: string;
  readonly content: Buffer;
}

export interface Theme {
  readonly css: ThemeFile | null;
  readonly logo: ThemeFile | null;
  /** Messages that replace others, by language. */
  readonly messages: Readonly<Partial<Record<Language, Messages>>>;
  /** HTML by slot, such as `footer`, or by slot and language, such as `footer.de`. */
  readonly texts: Readonly<Record<string, string>>;
}

export const NO_THEME: Theme = { css: null, logo: null, messages: {}, texts: {} };

/** Folder of the theme's files on the site. */
export const THEME_PATH = '/static/site/theme';
/** ms for which the files are not looked at again. */
const INTERVAL = 1_000;
const KIB = 1024;

interface Kind<T> {
  readonly max: number;
  readonly read: (content: Buffer) => T;
}

const textOf = (content: Buffer): string => new TextDecoder('utf-8', { fatal: true }).decode(content);

const STYLE: Kind<ThemeFile> = {
  max: 256 * KIB,
  read: (content) => ({
    address: `${THEME_PATH}/${hashOf(textOf(content))}.css`,
    type: 'text/css;charset=utf-8',
    content,
  }),
};
/** Formats of the logo, in order of preference. `isRight`: whether bytes (as Latin-1) have the format. */
const LOGOS: readonly { ending: string; type: string; isRight: RegExp }[] = [
  { ending: 'svg', type: 'image/svg+xml', isRight: /<svg[\s>]/i },
  { ending: 'png', type: 'image/png', isRight: /^\x89PNG\r\n/ },
  { ending: 'webp', type: 'image/webp', isRight: /^RIFF.{4}WEBP/s },
  { ending: 'jpg', type: 'image/jpeg', isRight: /^\xff\xd8\xff/ },
];
const logoOf = ({ ending, type, isRight }: (typeof LOGOS)[number]): Kind<ThemeFile> => ({
  max: 512 * KIB,
  read(content) {
    const text = content.toString('latin1');
    if (!isRight.test(text)) throw new Error(`is not a file of the type ${type}`);
    return { address: `${THEME_PATH}/${hashOf(text)}.${ending}`, type, content };
  },
});
const TEXT: Kind<string> = { max: 48 * KIB, read: (content) => markdownToHtml(textOf(content)) };

/** `fault` is called for each ignored message. */
const messagesOf = (language: Language, fault: (reason: string) => void): Kind<Messages> => ({
  max: 256 * KIB,
  read(content) {
    const parsed: unknown = JSON.parse(textOf(content));
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
      throw new Error('must be a JSON object: the key of a message → its text');
    const messages: Record<string, string> = Object.create(null);
    for (const [key, text] of Object.entries(parsed)) {
      const reason = messageFault(language, key, text);
      if (reason === null) messages[key] = text as string;
      else fault(`${key.slice(0, 100)}: ${reason}`);
    }
    return messages;
  },
});

interface Stored {
  readonly stamp: string;
  readonly value: unknown;
}

/** Reads the theme of a folder. Call the result for each request: it looks at the files at most once a second. */
export function themeReader(folder: string | null, log: Logger, now = () => performance.now()): () => Theme {
  if (folder === null) return () => NO_THEME;
  const stored = new Map<string, Stored>();
  let theme = NO_THEME;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isMissing = false;

  const ignored = (file: string, reason: string) => log.error({ theme: folder, file, reason }, 'theme file ignored');

  /** The content of a file as far as it is usable; null without one. Sets `changed` if it is another than before. */
  function look<T>(file: string, { max, read }: Kind<T>, onChange: () => void): T | null {
    const stamp = stampOf(join(folder!, file));
    const before = stored.get(file);
    if (before?.stamp === stamp || (before === undefined && stamp === '')) return (before?.value as T) ?? null;
    onChange();
    let value: T | null = null;
    if (stamp !== '')
      try {
        value = read(readWithin(folder!, file, max));
      } catch (thrown) {
        ignored(file, thrown instanceof Error ? thrown.message : String(thrown));
      }
    stored.set(file, { stamp, value });
    return value;
  }

  function readTheme(): void {
    let isChanged = false;
    const onChange = () => void (isChanged = true);
    const css = look('theme.css', STYLE, onChange);
    const logos = LOGOS.map((logo) => look(`logo.${logo.ending}`, logoOf(logo), onChange));
    const messages: Partial<Record<Language, Messages>> = {};
    for (const language of LANGUAGES) {
      const file = `texts/${language}.json`;
      const own = look(
        file,
        messagesOf(language, (reason) => ignored(file, reason)),
        onChange,
      );
      if (own) messages[language] = own;
    }
    const texts: Record<string, string> = {};
    for (const slot of SLOTS)
      for (const name of [slot, ...LANGUAGES.map((language) => `${slot}.${language}`)]) {
        const html = look(`${name}.md`, TEXT, onChange);
        if (html) texts[name] = html;
      }
    if (isChanged) theme = { css, logo: logos.find((logo) => logo !== null) ?? null, messages, texts };
  }

  return () => {
    if (now() - lookedAt < INTERVAL) return theme;
    lookedAt = now();
    const isHere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (!isHere && !isMissing) log.error({ theme: folder }, 'theme ignored: no such folder (catalog.theme)');
    isMissing = !isHere;
    readTheme();
    return theme;
  };
}

const readers = new WeakMap<object, () => Theme>();

/** The theme of a catalog, which its pages and its error pages share. */
export function themeOf(settings: Pick<Settings, 'catalog.theme'>, log: Logger): () => Theme {
  const reader = readers.get(settings) ?? themeReader(settings['catalog.theme'], log);
  readers.set(settings, reader);
  return reader;
}

/** Changes with the content of a file; empty if there is none. */
function stampOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return '';
  }
}

/** @throws Error for a file outside of the folder, a file that is too large, and anything but a file */
export function readWithin(folder: string, file: string, max: number): Buffer {
  const path = realpathSync(join(folder, file));
  if (!path.startsWith(realpathSync(folder) + sep)) throw new Error('is outside of the folder of the theme');
  const found = statSync(path);
  if (!found.isFile()) throw new Error('is not a file');
  if (found.size > max) throw new Error(`must have at most ${max} bytes (got ${found.size})`);
  return readFileSync(path);
}
