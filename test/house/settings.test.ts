/** docs/settings.md and the declarations say the same, row by row. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/kernel/root.ts';
import { envName, SETTINGS } from '../../src/kernel/settings.ts';
import type { Setting } from '../../src/kernel/settingTypes.ts';

/** The row that the table should have for a setting. */
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
    : options
      ? ` One of ${options.map((option) => `\`${option}\``).join(', ')}.`
      : '';

const written = readFileSync(join(projectRoot, 'docs/settings.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'));

it('every setting stands in docs/settings.md as it is declared, and nothing else does', () => {
  expect(written).toEqual(Object.entries(SETTINGS).map(([name, setting]) => rowOf(name, setting)));
});
