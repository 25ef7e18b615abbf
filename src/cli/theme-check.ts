import { resolve } from 'node:path';
import { imageSources } from '../../facades/web/site/picture.tsx';
import { themeReader } from '../../facades/web/site/theme.ts';
import { type Command, CommandFailure, UsageError } from './command.ts';

/** `catalog theme check`: reads the theme as the server does at its start, and prints its faults. */
export const command: Command = async (args, { settings }) => {
  if (args.length > 1) throw new UsageError();
  const folder = args[0] === undefined ? settings['catalog.theme'] : resolve(args[0]);
  if (folder === null) throw new UsageError('no theme: set catalog.theme, or name a folder');
  const faults: string[] = [];
  const note = ({ file, reason }: { file?: string; reason?: string }, message: string) =>
    void faults.push(file === undefined ? message : `${file}: ${reason}`);
  const images = imageSources(settings['catalog.pages.image_hosts'], '');
  themeReader(folder, { error: note, warn: note }, { images })();
  for (const fault of faults) console.log(fault);
  if (faults.length > 0) throw new CommandFailure(`${faults.length} faults in ${folder}`);
  console.log(`No faults in ${folder}.`);
};
