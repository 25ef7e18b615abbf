/** Job that harvests a source, with the permissions of the user who last changed the source. */
import { identifyUser } from '../accounts/identity/identity.service.ts';
import type { RunOperation } from '../graph/run.ts';
import type { JobKind } from '../jobs/kinds.ts';
import type { Actor, Call } from '../kernel/call.ts';
import { allow, CatalogError, conflict, notAuthorized, notFound } from '../kernel/errors.ts';
import { AlreadyRunning, harvest } from './run/harvest.ts';
import { mayManageSource } from './source/source.policy.ts';
import { findSource } from './source/source.store.ts';

export interface HarvestParts {
  readonly run: RunOperation;
  callAs(actor: Actor): Call;
  readonly databaseUrl: string;
}

export const harvestJob = ({ run, callAs, databaseUrl }: HarvestParts): JobKind => ({
  async run(call, { subjectId, payload }, { signal, progress }) {
    const source = await findSource(call.db, subjectId);
    if (!source) throw notFound('the harvest source was deleted');
    const actor = source.userId === null ? null : await identifyUser(call, source.userId);
    if (!actor) throw notAuthorized('the user of the source is not active');
    allow(mayManageSource(actor, source.organizationId));
    const ended = await harvest({
      runner: { run, call: () => callAs(actor) },
      source,
      databaseUrl,
      mayReachPrivate: call.settings['catalog.harvest.private_addresses'],
      full: payload.full === true,
      force: payload.force === true,
      signal,
      onProgress: progress,
    }).catch((thrown: unknown) => {
      throw thrown instanceof AlreadyRunning ? conflict(thrown.message) : thrown;
    });
    signal.throwIfAborted();
    if (ended.state === 'failed') throw new CatalogError('UNAVAILABLE', ended.message ?? '');
  },
});
