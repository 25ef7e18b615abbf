import { stringify } from 'yaml';
import { describeSettings } from '../kernel/config.ts';
import type { Command } from './command.ts';

/** `catalog config`: prints every setting as a line of a configuration file, with the origin of its value. */
export const command: Command = async (args, { settings }) => {
  const rows = describeSettings(settings);
  if (args.includes('--json'))
    console.log(JSON.stringify(Object.fromEntries(rows.map(({ name, ...row }) => [name, row])), null, 2));
  else for (const { name, value, source } of rows) console.log(line(name, value, source));
};

function line(name: string, value: unknown, source: string): string {
  const text = stringify(
    { [name]: value },
    { flowCollectionPadding: false, collectionStyle: 'flow', lineWidth: 0 },
  ).trim();
  return `${text.replace(/^\{(.*)\}$/, '$1')}  # ${source}`;
}
