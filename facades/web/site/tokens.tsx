/** API tokens of a user, with limited scope or lifetime. */
import type { PageProfileQuery } from '../../../src/generated/operations.ts';
import { Choice, type Faults, Field, Form } from './form.tsx';
import type { Frame } from './layout.tsx';
import type { Texts } from './texts.ts';
import { useTexts } from './use-texts.ts';

type User = NonNullable<PageProfileQuery['user']>;
type Token = NonNullable<User['tokens']>[number];

const SCOPES = {
  READ: 'user.scopeRead',
  WRITE: 'user.scopeWrite',
  ADMIN: 'user.scopeAdmin',
} as const satisfies Record<Token['scope'], string>;
/** Lifetimes in days; the empty one is unlimited. */
const LIFETIMES = { '30': 'user.days30', '90': 'user.days90', '365': 'user.days365', '': 'user.daysEver' } as const;

type Label = (typeof SCOPES)[keyof typeof SCOPES] | (typeof LIFETIMES)[keyof typeof LIFETIMES];

const labelled = (t: Texts['t'], options: Readonly<Record<string, Label>>): Record<string, string> =>
  Object.fromEntries(Object.entries(options).map(([value, key]) => [value, t(key)]));

interface TokensProps {
  readonly frame: Frame;
  readonly user: User;
  readonly tokens: readonly Token[];
  readonly faults: Faults;
  /** Values entered before. */
  readonly values: Readonly<Record<string, string>>;
  readonly secret: string | undefined;
}

export function Tokens({ frame, user, tokens, faults, values, secret }: TokensProps) {
  const { t, day } = useTexts();
  const at = `/user/${encodeURIComponent(user.name)}/tokens`;
  return (
    <>
      <h2 id="tokens">{t('user.tokens')}</h2>
      <p>{t('user.tokensUse')}</p>
      {secret && (
        <div role="status">
          <p>{t('user.tokenNew')}</p>
          <code class="key token">{secret}</code>
        </div>
      )}
      {tokens.length > 0 && (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">{t('common.name')}</th>
                <th scope="col">{t('user.tokenMay')}</th>
                <th scope="col">{t('user.tokenMade')}</th>
                <th scope="col">{t('user.tokenUsed')}</th>
                <th scope="col">{t('user.tokenUntil')}</th>
                <th scope="col">
                  <span class="hidden">{t('user.tokenEndIt')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {tokens.map((token) => (
                <tr key={token.id}>
                  <th scope="row">{token.name}</th>
                  <td>{t(SCOPES[token.scope])}</td>
                  <td>{day(token.createdAt)}</td>
                  <td>{token.lastUsedAt ? day(token.lastUsedAt) : t('user.tokenNever')}</td>
                  <td>{token.expiresAt ? day(token.expiresAt) : t('user.tokenForever')}</td>
                  <td>
                    <Form action={`${at}/revoke`} token={frame.token}>
                      <input type="hidden" name="id" value={token.id} />
                      <button type="submit" class="link" aria-label={t('user.tokenEndNamed', { name: token.name })}>
                        {t('user.tokenEnd')}
                      </button>
                    </Form>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <h3>{t('user.tokenMake')}</h3>
      <Form action={at} token={frame.token} stacked>
        <Field name="name" label={t('user.tokenFor')} value={values.name} faults={faults} required />
        <Choice name="scope" label={t('user.tokenScope')} options={labelled(t, SCOPES)} value={values.scope} />
        <Choice name="days" label={t('user.tokenDays')} options={labelled(t, LIFETIMES)} value={values.days} />
        <Field
          name="password"
          label={t('user.tokenPassword')}
          type="password"
          hint={t('user.tokenPasswordHint')}
          autocomplete="current-password"
          required
        />
        <button type="submit">{t('user.tokenSubmit')}</button>
      </Form>
    </>
  );
}
