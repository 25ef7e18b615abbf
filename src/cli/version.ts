import { version } from '../kernel/version.ts';
import type { Command } from './command.ts';
import { readArgs } from './options.ts';
import { printObject } from './print.ts';

/** `catalog version`: prints the versions of the catalog and of Node. */
export const command: Command = async (args) => {
  const { json } = readArgs('version', args).values;
  if (json) printObject({ catalog: version, node: process.versions.node }, true);
  else console.log(`catalog ${version} (Node ${process.versions.node})`);
};
