/** Mounts `POST /import`. */
import { randomUUID } from 'node:crypto';
import type { Application, CommonDeps } from '../shared/mount.ts';
import { importPaths } from './openapi.ts';
import { type ImportOptions, importRouter } from './router.ts';

export interface ImportDeps extends CommonDeps {
  readonly admitImport: ImportOptions['admit'];
  readonly importRecords: ImportOptions['bringIn'];
}

export function mount(app: Application, deps: ImportDeps): void {
  const { settings, log, callers, admitImport: admit, importRecords: bringIn } = deps;
  const onDefect = (thrown: unknown, line: number): string => {
    const id = randomUUID();
    log.error({ err: thrown, line, id }, 'importing a record failed');
    return id;
  };
  const maxBytes = settings['catalog.limits.json_body'];
  Object.assign(app.paths, importPaths);
  app.web.use(importRouter({ callFor: callers.callFor, admit, bringIn, maxBytes, onDefect }));
}
