/** Pages for login, registration and new passwords. */
import { type Faults, Field, Form, NewPassword, Notice } from './form.tsx';
import { type Frame, Layout } from './layout.tsx';
import { useTexts } from './use-texts.ts';

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
  const { t, rich } = useTexts();
  return (
    <Layout frame={frame} title={t('account.logIn')}>
      <h1>{t('account.logIn')}</h1>
      <Notice text={notice} />
      <Notice text={faults.form} bad />
      <Form action="/user/login" token={frame.token} stacked>
        {cameFrom !== null && <input type="hidden" name="came_from" value={cameFrom} />}
        <Field name="login" label={t('account.login')} value={values.login} autocomplete="username" required />
        <Field name="password" label={t('common.password')} type="password" autocomplete="current-password" required />
        <button type="submit">{t('account.logIn')}</button>
      </Form>
      <p>
        <a href="/user/reset">{t('account.forgotten')}</a>
      </p>
      {frame.registration && (
        <p>{rich('account.noAccount', { link: (text) => <a href="/user/register">{text}</a> })}</p>
      )}
    </Layout>
  );
}

interface RegisterProps extends PageProps {
  /** Whether the password is chosen by a mailed link. */
  readonly confirmsEmail: boolean;
}

export function RegisterPage({ frame, values = {}, faults = {}, confirmsEmail }: RegisterProps) {
  const { t } = useTexts();
  return (
    <Layout frame={frame} title={t('account.register')}>
      <h1>{t('account.register')}</h1>
      <Notice text={faults.form} bad />
      <Form action="/user/register" token={frame.token} stacked>
        <Field
          name="name"
          label={t('common.name')}
          value={values.name}
          faults={faults}
          hint={t('account.nameHint')}
          autocomplete="username"
          required
        />
        <Field
          name="fullName"
          label={t('account.fullName')}
          value={values.fullName}
          faults={faults}
          autocomplete="name"
        />
        <Field
          name="email"
          label={t('common.email')}
          type="email"
          value={values.email}
          faults={faults}
          autocomplete="email"
          required
        />
        {confirmsEmail ? (
          <p>{t('account.confirmText')}</p>
        ) : (
          <NewPassword name="password" label={t('common.password')} faults={faults} />
        )}
        <button type="submit">{t('account.register')}</button>
      </Form>
    </Layout>
  );
}

interface ConfirmationProps extends PageProps {
  /** Whether the mail could be sent. */
  readonly sent: 'mail' | 'failed';
}

/** The account waits for the mailed link. */
export function ConfirmationPage({ frame, sent }: ConfirmationProps) {
  const { t, rich } = useTexts();
  return (
    <Layout frame={frame} title={t('account.checkMail')}>
      <h1>{t('account.checkMail')}</h1>
      {sent === 'mail' ? (
        <p>{t('account.confirmSent')}</p>
      ) : (
        <p>{rich('account.confirmFailed', { link: (text) => <a href="/user/reset">{text}</a> })}</p>
      )}
    </Layout>
  );
}

export function RequestResetPage({ frame, values = {}, faults = {} }: PageProps) {
  const { t } = useTexts();
  return (
    <Layout frame={frame} title={t('account.reset')}>
      <h1>{t('account.reset')}</h1>
      <Notice text={faults.form} bad />
      <p>{t('account.resetText')}</p>
      <Form action="/user/reset" token={frame.token} stacked>
        <Field
          name="user"
          label={t('account.login')}
          value={values.user}
          faults={faults}
          autocomplete="username"
          required
        />
        <button type="submit">{t('account.sendLink')}</button>
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
  const { t } = useTexts();
  const title = invitation ? t('account.welcome', { name }) : t('account.newPasswordFor', { name });
  return (
    <Layout frame={frame} title={title}>
      <h1>{title}</h1>
      <Notice text={faults.form} bad />
      {!invitation && <p>{t('account.keysEnd')}</p>}
      <Form action={action} token={frame.token} stacked>
        <NewPassword name="password" label={t('account.newPassword')} faults={faults} />
        <button type="submit">{t('account.setPassword')}</button>
      </Form>
    </Layout>
  );
}
