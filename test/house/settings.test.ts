/** docs/settings.md equals the declarations of settings, row by row. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { envName, SETTINGS } from '../../src/kernel/settings.ts';
import type { Setting } from '../../src/kernel/settings.types.ts';

/** The expected table row of a setting. */
function rowOf(name: string, setting: Setting<unknown>): string {
  const variables = [envName(name), setting.alias]
    .filter(Boolean)
    .map((variable) => `\`${variable}\``)
    .join(', ');
  return `| \`${name}\` | ${variables} | ${defaultOf(setting)} | ${setting.description}${limitsOf(setting)} |`;
}

function defaultOf({ default: fallback, defaultText }: Setting<unknown>): string {
  if (defaultText) return `\`${defaultText}\``;
  if (fallback === null || fallback === '') return 'none';
  if (Array.isArray(fallback)) return fallback.length ? `\`${fallback.join(' ')}\`` : 'none';
  return typeof fallback === 'object' ? 'none' : `\`${fallback}\``;
}

const limitsOf = ({ type, min, max, options }: Setting<unknown>): string =>
  type === 'int'
    ? ` From ${min} to ${max}.`
    : options && type !== 'list'
      ? ` One of ${options.map((option) => `\`${option}\``).join(', ')}.`
      : '';

const written = readFileSync(join(projectRoot, 'docs/settings.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'));

it('lists every setting as declared, and no others', () => {
  expect(written).toEqual(Object.entries(SETTINGS).map(([name, setting]) => rowOf(name, setting)));
});

/** Code in which a setting can have an effect. Excludes the declarations, and code that only displays them. */
const code = ['src', 'facades']
  .flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  .filter(
    (file) => !/[/\\]generated[/\\]|kernel[/\\]settings|site[/\\](site|option)\.|action[/\\]option[/\\]/.test(file),
  )
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

/** Read by a composed name, by presets (`describeLevel`), or by pages through the graph (`Site.description`). */
const READ_OTHERWISE: Readonly<Record<string, string>> = {
  'catalog.action_api.level': 'describeLevel(',
  'catalog.rate.anonymous': 'settings[`catalog.rate.$',
  'catalog.rate.users': 'settings[`catalog.rate.$',
  'catalog.site_description': 'site.description',
  'catalog.site_logo': 'site.logo',
  'catalog.site_about': 'site.aboutHtml',
  'catalog.site_intro_text': 'site.introTextHtml',
  'catalog.homepage_style': 'site.homepageStyle',
  'catalog.main_css': 'mainCss ||',
};

it('marks exactly the unread settings as without effect', () => {
  const isRead = (name: string) => code.includes(`'${name}'`) || code.includes(READ_OTHERWISE[name] ?? '\0');
  const plain = (name: string) => new RegExp(`\\.${name}\\b`).test(code); // names without a dot: settings.name
  const idle = Object.keys(SETTINGS).filter((name) => !isRead(name) && !(!name.includes('.') && plain(name)));
  const all = Object.entries<Setting<unknown>>(SETTINGS);
  expect(idle).toEqual(all.filter(([, { isIdle }]) => isIdle).map(([name]) => name));
  expect(idle).toEqual(all.filter(([, { description }]) => /No effect yet/.test(description)).map(([name]) => name));
});
