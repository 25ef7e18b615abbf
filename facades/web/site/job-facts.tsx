/** State, times, progress and error of a background job. */
import type { JobFactsFragment } from '../../../src/generated/operations.ts';
import { Moment } from './cards.tsx';
import { useTexts } from './use-texts.ts';

export const isActive = ({ state }: Pick<JobFactsFragment, 'state'>): boolean =>
  state === 'RUNNING' || state === 'QUEUED';

export function JobFacts({ job }: { job: JobFactsFragment }) {
  const { t, bytes } = useTexts();
  const { kind, state, attempts, maxAttempts, progressDone, progressTotal, error, createdAt } = job;
  const times = {
    queued: createdAt,
    ...(state === 'QUEUED' && attempts > 0 && { next: job.runAt }),
    started: job.startedAt,
    ended: job.finishedAt,
  };
  return (
    <>
      <p class="meta row">
        <span class={state === 'FAILED' ? 'badge bad' : 'badge'}>{t('jobs.state', { state })}</span>
        {Object.entries(times).map(
          ([name, instant]) =>
            instant && (
              <span key={name}>
                {t(`jobs.${name as keyof typeof times}`)} <Moment instant={instant} />
              </span>
            ),
        )}
        {attempts > 0 && <span>{t('jobs.attempts', { attempts, most: maxAttempts })}</span>}
        {/* The progress of other kinds has other units. */}
        {isActive(job) && kind === 'load' && progressDone !== null && (
          <span>
            {progressTotal === null
              ? t('jobs.read', { size: bytes(progressDone) })
              : t('jobs.readOf', { size: bytes(progressDone), all: bytes(progressTotal) })}
          </span>
        )}
        {isActive(job) && job.cancelRequested && <span>{t('jobs.cancelling')}</span>}
      </p>
      {error && <p class="fault prose">{error}</p>}
    </>
  );
}
