/** Pages for login, registration and new passwords. */
import { type Faults, Field, Form, NewPassword, Notice } from './form.tsx';
import { type Frame, Layout } from './layout.tsx';

interface PageProps {
  readonly frame: Frame;
  /** Values entered before, without passwords. */
  readonly values?: Readonly<Record<string, string>>;
  readonly faults?: Faults;
}

interface LoginProps extends PageProps {
  /** Path of this site to return to. */
  readonly cameFrom: string | null;
  readonly notice?: string | undefined;
}

export function LoginPage({ frame, values = {}, faults = {}, cameFrom, notice }: LoginProps) {
  return (
    <Layout frame={frame} title="Log in">
      <h1>Log in</h1>
      <Notice text={notice} />
      <Notice text={faults.form} bad />
      <Form action="/user/login" token={frame.token} stacked>
        {cameFrom !== null && <input type="hidden" name="came_from" value={cameFrom} />}
        <Field name="login" label="Name or e-mail address" value={values.login} autocomplete="username" required />
        <Field name="password" label="Password" type="password" autocomplete="current-password" required />
        <button type="submit">Log in</button>
      </Form>
      <p>
        <a href="/user/reset">Forgotten your password?</a>
      </p>
      {frame.registration && (
        <p>
          No account yet? <a href="/user/register">Register</a>
        </p>
      )}
    </Layout>
  );
}

export function RegisterPage({ frame, values = {}, faults = {} }: PageProps) {
  return (
    <Layout frame={frame} title="Register">
      <h1>Register</h1>
      <Notice text={faults.form} bad />
      <Form action="/user/register" token={frame.token} stacked>
        <Field
          name="name"
          label="Name"
          value={values.name}
          faults={faults}
          hint="2 to 100 lowercase letters, digits, - and _."
          autocomplete="username"
          required
        />
        <Field name="fullName" label="Full name" value={values.fullName} faults={faults} autocomplete="name" />
        <Field
          name="email"
          label="E-mail address"
          type="email"
          value={values.email}
          faults={faults}
          autocomplete="email"
          required
        />
        <NewPassword name="password" label="Password" faults={faults} />
        <button type="submit">Register</button>
      </Form>
    </Layout>
  );
}

export function RequestResetPage({ frame, values = {}, faults = {} }: PageProps) {
  return (
    <Layout frame={frame} title="Reset your password">
      <h1>Reset your password</h1>
      <Notice text={faults.form} bad />
      <p>We send a link for choosing a new password to the e-mail address of the account.</p>
      <Form action="/user/reset" token={frame.token} stacked>
        <Field
          name="user"
          label="Name or e-mail address"
          value={values.user}
          faults={faults}
          autocomplete="username"
          required
        />
        <button type="submit">Send the link</button>
      </Form>
    </Layout>
  );
}

interface ResetProps extends PageProps {
  /** URL of the page, with the key. */
  readonly action: string;
  readonly name: string;
  readonly invitation: boolean;
}

export function ResetPage({ frame, faults = {}, action, name, invitation }: ResetProps) {
  const title = invitation ? `Welcome, ${name}` : `A new password for ${name}`;
  return (
    <Layout frame={frame} title={title}>
      <h1>{title}</h1>
      <Notice text={faults.form} bad />
      {!invitation && (
        <p>
          The API key and the tokens of the account end with the old password. Programs that use them need new ones.
        </p>
      )}
      <Form action={action} token={frame.token} stacked>
        <NewPassword name="password" label="New password" faults={faults} />
        <button type="submit">Set the password</button>
      </Form>
    </Layout>
  );
}
