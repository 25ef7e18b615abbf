/** Services that facades use without an operation of the graph between, each with its cost. */
import type { ActionDeps } from '../../facades/action/mount.ts';
import type { FileDeps } from '../../facades/files/mount.ts';
import type { ImportDeps } from '../../facades/import/mount.ts';
import { checkEditsAnything } from '../catalog/file/sender.service.ts';
import { uploadReceive } from '../catalog/file/ticket.service.ts';
import { mayDump, tableDump } from '../datastore/export/dump.service.ts';
import type { RunOperation } from '../graph/run.ts';
import { asRefusal } from '../infra/postgres/failures.ts';
import { type Call, logOf, withRequest } from '../kernel/call.ts';
import type { Settings } from '../kernel/settings.ts';
import { importLines } from '../records/import/lines.ts';

/** Cost of downloading a whole table of any length. Downloads have no operation of the graph. */
const DUMP_COST = 10_000;
/** Cost of taking a file in: that of a mutation. */
const UPLOAD_COST = 11;
/** Cost of a line of an import, beside that of its operations. */
const LINE_COST = 1;

export type FacadeServices = Pick<ActionDeps, 'openDump' | 'mayOpenDump'> &
  Pick<FileDeps, 'takeUpload'> &
  Pick<ImportDeps, 'admitImport' | 'importRecords'>;

export function createServices(settings: Settings, run: RunOperation): FacadeServices {
  const checkEdits = refusing(checkEditsAnything);
  return {
    openDump: refusing((call, input) => {
      call.request.charge?.(DUMP_COST);
      return tableDump(call, input);
    }),
    mayOpenDump: refusing(mayDump),
    takeUpload: refusing((call, token, sent) => {
      call.request.charge?.(UPLOAD_COST);
      return uploadReceive(call, token, sent);
    }),
    admitImport: async (call) => {
      await checkEdits(call);
      call.request.charge?.(LINE_COST);
    },
    importRecords: (call, input, more) =>
      importLines({ run, call: () => withRequest(call, { now: new Date() }) }, input, {
        ...more,
        maxFailures: settings['catalog.limits.import_failures'],
        maxValues: settings['catalog.limits.json_values'],
        charge: () => call.request.charge?.(LINE_COST),
      }),
  };
}

/** A service whose failures reach a facade without an operation between: it says UNAVAILABLE itself. */
function refusing<Given extends readonly unknown[], Result>(work: (call: Call, ...given: Given) => Promise<Result>) {
  return async (call: Call, ...given: Given): Promise<Result> => {
    try {
      return await work(call, ...given);
    } catch (failure) {
      throw asRefusal(failure, logOf(call));
    }
  };
}
