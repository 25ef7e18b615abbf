/** Serves `/<kind>/follow/<name>` and `/<kind>/unfollow/<name>`, and their button. */
import { Router } from 'express';
import { PageFollowDocument, PageUnfollowDocument } from '../../../src/generated/operations.ts';
import { CatalogError } from '../../../src/kernel/errors.ts';
import { Form } from './form.tsx';
import type { Frame } from './frame.ts';
import { useTexts } from './use-texts.ts';
import { type SiteOptions, visitingOrLogin } from './visit.ts';

const KINDS = { dataset: 'DATASET', organization: 'GROUP', group: 'GROUP', user: 'USER' } as const;

export function followRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  for (const [kind, followKind] of Object.entries(KINDS))
    for (const [verb, repeated] of [
      ['follow', 'VALIDATION'],
      ['unfollow', 'NOT_FOUND'],
    ] as const)
      router.post(
        `/${kind}/${verb}/:name`,
        visitingOrLogin(options, async (v) => {
          const id = v.req.params.name!;
          // Ignores a second click: the page shows whether the reader follows.
          const input = { kind: followKind, id };
          const done: Promise<unknown> =
            verb === 'follow'
              ? v.run(PageFollowDocument, { input }, v.call)
              : v.run(PageUnfollowDocument, { input }, v.call);
          await done.catch((thrown: unknown) => {
            if (!(thrown instanceof CatalogError) || thrown.kind !== repeated) throw thrown;
          });
          v.goTo(`/${kind}/${encodeURIComponent(id)}`);
        }),
      );
  return router;
}

interface FollowProps {
  readonly frame: Frame;
  readonly kind: keyof typeof KINDS;
  readonly name: string;
  readonly followerCount: number;
  readonly isFollowing: boolean | undefined;
}

/** The number of followers; for signed-in readers with a button, which is not on the pages that caches store. */
export function Follow({ frame, kind, name, followerCount, isFollowing = false }: FollowProps) {
  const { t } = useTexts();
  return (
    <div class="actions">
      {frame.viewer && !(kind === 'user' && frame.viewer.name === name) && (
        <Form
          action={`/${kind}/${isFollowing ? 'unfollow' : 'follow'}/${encodeURIComponent(name)}`}
          token={frame.token}
        >
          <button type="submit" class="quiet">
            {isFollowing ? t('manage.unfollow') : t('manage.follow')}
          </button>
        </Form>
      )}
      {followerCount > 0 && <span class="count">{t('manage.followers', { count: followerCount })}</span>}
    </div>
  );
}
