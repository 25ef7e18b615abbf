/** API tokens of a user, with limited scope or lifetime. */
import type { PageProfileQuery } from '../../../src/generated/operations.ts';
import { Choice, type Faults, Field, Form } from './form.tsx';
import type { Frame } from './layout.tsx';

type User = NonNullable<PageProfileQuery['user']>;
type Token = NonNullable<User['tokens']>[number];

const SCOPES: Readonly<Record<Token['scope'], string>> = {
  READ: 'Read',
  WRITE: 'Read and write',
  ADMIN: 'Everything',
};
/** Lifetimes in days, with labels; the empty one is unlimited. */
const LIFETIMES = { '30': '30 days', '90': '90 days', '365': 'A year', '': 'For ever' };

const day = (instant: string | null | undefined, never: string): string => instant?.slice(0, 10) ?? never;

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
  const at = `/user/${encodeURIComponent(user.name)}/tokens`;
  return (
    <>
      <h2 id="tokens">Tokens</h2>
      <p>A token goes wherever the key goes, but may do less, can expire, and is ended without changing the key.</p>
      {secret && (
        <div role="status">
          <p>The new token. It is not shown again:</p>
          <code class="key token">{secret}</code>
        </div>
      )}
      {tokens.length > 0 && (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">May</th>
                <th scope="col">Made</th>
                <th scope="col">Last used</th>
                <th scope="col">Until</th>
                <th scope="col">
                  <span class="hidden">End it</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {tokens.map((token) => (
                <tr key={token.id}>
                  <th scope="row">{token.name}</th>
                  <td>{SCOPES[token.scope]}</td>
                  <td>{day(token.createdAt, '')}</td>
                  <td>{day(token.lastUsedAt, 'never')}</td>
                  <td>{day(token.expiresAt, 'for ever')}</td>
                  <td>
                    <Form action={`${at}/revoke`} token={frame.token}>
                      <input type="hidden" name="id" value={token.id} />
                      <button type="submit" class="link" aria-label={`End ${token.name}`}>
                        End
                      </button>
                    </Form>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <h3>A new token</h3>
      <Form action={at} token={frame.token} stacked>
        <Field name="name" label="What it is for" value={values.name} faults={faults} required />
        <Choice name="scope" label="What it may do" options={SCOPES} value={values.scope} />
        <Choice name="days" label="How long it works" options={LIFETIMES} value={values.days} />
        <Field
          name="password"
          label="Your password"
          type="password"
          hint="Asked again, for a token goes on working after you have logged out."
          autocomplete="current-password"
          required
        />
        <button type="submit">Make the token</button>
      </Form>
    </>
  );
}
