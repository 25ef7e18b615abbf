/** Runs actions in this process without HTTP, so that imports and exports read and write exactly as clients do. */
import type { RunOperation } from '../../src/graph/run.ts';
import { wireName } from '../shared/wire/names.ts';
import { actions } from './actions.ts';
import type { Action, Raw } from './define.ts';
import { readParams } from './params.ts';

type RunCall = Parameters<RunOperation>[2];

export function actionsInProcess(run: RunOperation) {
  const rowOf = (name: string): Action => actions[name] as Action;
  return {
    /** `result` of an action. @throws CatalogError as the action does */
    async perform(call: RunCall, name: string, raw: Raw): Promise<unknown> {
      const row = rowOf(name);
      const params = readParams(row.params, raw);
      const data: unknown = await run(row.document, row.variables(params as never, raw, null), call);
      return row.result(data, params as never, raw);
    },
    /** Variables of an action's operation for these parameters. @throws CatalogError VALIDATION */
    variablesOf: (name: string, raw: Raw): Record<string, unknown> =>
      rowOf(name).variables(readParams(rowOf(name).params, raw) as never, raw, null),
    /** The record's name of a graph field. */
    nameOf: wireName,
  };
}
