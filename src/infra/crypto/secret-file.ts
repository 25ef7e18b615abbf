import { createHash, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../kernel/settings.ts';

/** Minimum characters of a site secret. */
export const MIN_SECRET = 16;

/** The file of the site secret is damaged. */
export class SecretError extends Error {
  override readonly name = 'SecretError';
}

/**
 * The site secret as a key of 32 bytes: `catalog.secret`, or a random one, generated once and stored in the data
 * folder. Processes that start concurrently agree on one.
 */
export function siteSecret(settings: Settings): Buffer {
  const text = findSecret(settings) ?? newSecret(settings['catalog.data_dir']);
  return createHash('sha256').update(text).digest();
}

/** The site secret as text; null when there is none yet. */
export const findSecret = (settings: Settings): string | null =>
  settings['catalog.secret'] ?? read(fileOf(settings['catalog.data_dir']));

/** Stores the secret of a backup. @throws Error if there is one */
export function storeSecret(settings: Settings, text: string): void {
  const dataDir = settings['catalog.data_dir'];
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(fileOf(dataDir), `${text}\n`, { mode: 0o600, flag: 'wx', flush: true });
}

export const removeSecret = (settings: Settings): void => rmSync(fileOf(settings['catalog.data_dir']), { force: true });

const fileOf = (dataDir: string): string => join(dataDir, 'secret');

function newSecret(dataDir: string): string {
  const file = fileOf(dataDir);
  mkdirSync(dataDir, { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file); // unlike a rename it fails if another process was first
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  } finally {
    rmSync(draft, { force: true });
  }
  return read(file) as string;
}

function read(file: string): string | null {
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text.length < MIN_SECRET)
      throw new SecretError(
        `The site secret in ${file} is damaged. Restore the file: API keys cannot be decrypted without the secret.`,
      );
    return text;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw thrown;
  }
}
