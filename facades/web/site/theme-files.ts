/** Reads the files of a theme's folder, and reads those that change again. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { LANGUAGES, type Language } from '../../../src/generated/texts.ts';
import { markdownToHtml } from '../../../src/infra/markdown.ts';
import { hashOf } from '../../shared/packed.ts';
import { type Messages, messageFault } from './theme-messages.ts';
import { REGIONS } from './theme-templates.ts';

/** Slots of pages for texts of the theme. */
export const SLOTS = ['header', 'home', 'footer'] as const;
export type Slot = (typeof SLOTS)[number];

export interface ThemeFile {
  /** Path on the site, with a hash of the content. */
  readonly address: string;
  readonly type: string;
  readonly content: Buffer;
}

/** Usable content of a theme's files. */
export interface ThemeFiles {
  readonly css: ThemeFile | null;
  readonly logo: ThemeFile | null;
  /** Messages that replace others, by language. */
  readonly messages: Readonly<Partial<Record<Language, Messages>>>;
  /** HTML by slot, such as `footer`, or by slot and language, such as `footer.de`. */
  readonly texts: Readonly<Record<string, string>>;
  /** Sources of templates by region, or by region and language. */
  readonly sources: Readonly<Record<string, string>>;
  /** Names in the folder `files`. */
  readonly names: ReadonlySet<string>;
}

/** Folder of the theme's files on the site. */
export const THEME_PATH = '/static/site/theme';
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
      throw new Error(
        'must be a JSON object with texts by the keys of messages, such as {"layout.datasets": "Our data"}',
      );
    const messages: Record<string, string> = Object.create(null);
    for (const [key, text] of Object.entries(parsed)) {
      const reason = messageFault(language, key, text);
      if (reason === null) messages[key] = text as string;
      else fault(`${key.slice(0, 100)}: ${reason}`);
    }
    return messages;
  },
});

/** Source of a template. */
const SOURCE: Kind<string> = { max: 64 * KIB, read: textOf };

/** A name in each language, too: `footer`, `footer.de`. */
const inLanguages = (name: string): string[] => [name, ...LANGUAGES.map((language) => `${name}.${language}`)];

interface Stored {
  readonly stamp: string;
  readonly value: unknown;
}

/** The result returns the content of the folder, or null if it is as before. `fault` is called for each ignored file and message. */
export function filesReader(folder: string, fault: (file: string, reason: string) => void): () => ThemeFiles | null {
  const stored = new Map<string, Stored>();
  let isChanged = true;

  /** The content of a file as far as it is usable; null without one. */
  function look<T>(file: string, read: () => T): T | null {
    const stamp = stampOf(join(folder, file));
    const before = stored.get(file);
    if (before?.stamp === stamp || (before === undefined && stamp === '')) return (before?.value as T) ?? null;
    isChanged = true;
    let value: T | null = null;
    if (stamp !== '')
      try {
        value = read();
      } catch (thrown) {
        fault(file, thrown instanceof Error ? thrown.message : String(thrown));
      }
    stored.set(file, { stamp, value });
    return value;
  }
  const lookAt = <T>(file: string, { max, read }: Kind<T>) => look(file, () => read(readWithin(folder, file, max)));
  /** Content of those of the files that are there, by their names. */
  const lookAll = (names: readonly string[], fileOf: (name: string) => string, kind: Kind<string>) =>
    Object.fromEntries(names.map((name) => [name, lookAt(fileOf(name), kind)]).filter(([, content]) => content));

  return () => {
    const css = lookAt('theme.css', STYLE);
    const logos = LOGOS.map((logo) => lookAt(`logo.${logo.ending}`, logoOf(logo)));
    const messages: Partial<Record<Language, Messages>> = {};
    for (const language of LANGUAGES) {
      const file = `texts/${language}.json`;
      const own = lookAt(
        file,
        messagesOf(language, (reason) => fault(file, reason)),
      );
      if (own) messages[language] = own;
    }
    const texts = lookAll(SLOTS.flatMap(inLanguages), (name) => `${name}.md`, TEXT);
    const sources = lookAll(Object.keys(REGIONS).flatMap(inLanguages), templateFile, SOURCE);
    const names = look('files', () => new Set(readdirSync(join(folder, 'files')))) ?? new Set<string>();
    if (!isChanged) return null;
    isChanged = false;
    return { css, logo: logos.find((logo) => logo !== null) ?? null, messages, texts, sources, names };
  };
}

/** Path of a template in the folder. */
export const templateFile = (name: string): string => `templates/${name}.html`;

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
function readWithin(folder: string, file: string, max: number): Buffer {
  const path = realpathSync(join(folder, file));
  if (!path.startsWith(realpathSync(folder) + sep)) throw new Error('is outside of the folder of the theme');
  const found = statSync(path);
  if (!found.isFile()) throw new Error('is not a file');
  if (found.size > max) throw new Error(`must have at most ${max} bytes (got ${found.size})`);
  return readFileSync(path);
}
