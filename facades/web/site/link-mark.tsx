/** Marks links of resources that do not lead to the data, and serves the button that requests a check. */
import type { RequestHandler, Router } from 'express';
import { type LinkMarkFragment, PageCheckLinkDocument } from '../../../src/generated/operations.ts';
import { CatalogError } from '../../../src/kernel/errors.ts';
import { Day } from './cards.tsx';
import { Form } from './form.tsx';
import type { Frame } from './frame.ts';
import { resourcePath } from './resource-calls.ts';
import { useTexts } from './use-texts.ts';
import type { Visit } from './visit.ts';

type Link = LinkMarkFragment | null;

const WORDS = { BROKEN: 'link.broken', MOVED: 'link.moved', FORBIDDEN: 'link.forbidden' } as const;

/** The words for a verdict that readers should know; null for others. */
const wordsFor = (link: Link) =>
  link?.verdict && Object.hasOwn(WORDS, link.verdict) ? WORDS[link.verdict as keyof typeof WORDS] : null;

/** The verdict and its beginning, in a list of resources. */
export function LinkBadge({ link }: { link: Link }) {
  const { t, rich } = useTexts();
  const words = wordsFor(link);
  if (!words || !link?.since) return null;
  return (
    <span class={link.verdict === 'BROKEN' ? 'badge bad' : 'badge'}>
      {t(words)} {rich('link.since', { day: <Day instant={link.since} /> })}
    </span>
  );
}

/** The same with its reason, on the page of a resource. */
export function LinkNotice({ link }: { link: Link }) {
  const { t, rich } = useTexts();
  const words = wordsFor(link);
  const isRemark = link?.reason === 'WRONG_TYPE';
  if (!link?.since || (!words && !isRemark)) return null;
  return (
    <div class={link.verdict === 'BROKEN' ? 'notice bad' : 'notice'}>
      {words && (
        <p>
          <strong>{t(words)}</strong> {rich('link.since', { day: <Day instant={link.since} /> })}
        </p>
      )}
      {link.reason && <p>{t('link.reason', { reason: link.reason.toLowerCase() })}</p>}
      {link.verdict === 'MOVED' && link.finalUrl && (
        <p>
          {rich('link.newAddress', {
            address: (
              <a href={link.finalUrl} rel="nofollow">
                {link.finalUrl}
              </a>
            ),
          })}
        </p>
      )}
    </div>
  );
}

interface CheckProps {
  readonly frame: Frame;
  readonly link: Link;
  readonly dataset: string;
  readonly resource: string;
}

/** For people who may change the dataset: when the link was checked, and the button to check it again. */
export function CheckLink({ frame, link, dataset, resource }: CheckProps) {
  const { t, moment } = useTexts();
  if (!link?.nextCheckAt) return null; // checks may be turned off
  return (
    <div class="actions">
      <Form action={`${resourcePath(dataset, resource)}/check`} token={frame.token}>
        <button type="submit" class="quiet">
          {t('link.checkAgain')}
        </button>
      </Form>
      {link.isRequested ? (
        <span role="status">{t('link.requested')}</span>
      ) : (
        link.checkedAt && (
          <span>
            {t('link.checked')}: <time dateTime={link.checkedAt}>{moment(link.checkedAt)}</time>
          </span>
        )
      )}
    </div>
  );
}

/** Serves the button. A second click within a minute is ignored: the page shows that a check is requested. */
export function addLinkChecks(router: Router, visit: (work: (v: Visit) => Promise<void>) => RequestHandler): void {
  router.post(
    '/dataset/:name/resource/:resource/check',
    visit(async (v) => {
      const { name, resource } = v.req.params;
      await v.run(PageCheckLinkDocument, { input: { resourceId: resource! } }, v.call).catch((thrown: unknown) => {
        if (!(thrown instanceof CatalogError) || thrown.kind !== 'LIMIT') throw thrown;
      });
      v.goTo(resourcePath(name!, resource!));
    }),
  );
}
