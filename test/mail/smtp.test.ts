import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { isMailAddress } from '../../src/infra/mail.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import type { Settings } from '../../src/kernel/settings.ts';
import { createMail } from '../../src/mail/smtp.ts';
import { createMailbox, type Mailbox } from '../helpers/mail.ts';

const logged: string[] = [];
const log = pino({}, { write: (line: string) => void logged.push(line) });
const mailWith = (settings: Partial<Settings>) => createMail({ settings: settingsForTests(settings), log });
const message = { to: 'ann@example.org', subject: 'Hello', text: 'One line.\nAnother.' };

let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await createMailbox();
});
afterAll(() => mailbox.end());

it('sends plain text from the site, marked as auto-generated', async () => {
  const mail = mailWith({
    ...mailbox.settings,
    'catalog.site_title': 'Städtische Daten',
    'smtp.mail_from': 'data@example.org',
    'smtp.reply_to': 'help@example.org',
  });
  await mail.send({ ...message, toName: 'Ann Ödel', subject: 'Grüße – 你好', text: 'Čau\nhttps://x.org/?a=1&b=2\n' });
  const received = await mailbox.next();
  expect(received).toMatchObject({
    from: { name: 'Städtische Daten', address: 'data@example.org' },
    replyTo: [{ address: 'help@example.org' }],
    to: [{ name: 'Ann Ödel', address: 'ann@example.org' }],
    subject: 'Grüße – 你好',
    text: 'Čau\nhttps://x.org/?a=1&b=2\n',
    recipients: ['ann@example.org'],
    user: null,
  });
  expect(received.html).toBeUndefined();
  expect(received.headers).toContainEqual(expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }));
});

it('prevents header injection by title, name and subject', async () => {
  const evil = 'Hi\r\nBcc: eve@example.org\r\n\r\nbody\0';
  await mailWith({ ...mailbox.settings, 'catalog.site_title': evil }).send({ ...message, toName: evil, subject: evil });
  const { recipients, headers, subject, text } = await mailbox.next();
  expect(recipients).toEqual(['ann@example.org']);
  expect(headers.map(({ key }) => key)).not.toContain('bcc');
  expect(subject).toBe('Hi Bcc: eve@example.org body');
  expect(text?.trimEnd()).toBe(message.text);
});

it.each([
  '',
  'ann',
  'ann@example.org, eve@example.org',
  'Ann <ann@example.org>',
  'ann@example.org\nBcc: eve@example.org',
  '"a b"@example.org',
  'ann@@example.org',
  'eve@example.org;ann@example.org',
  `${'a'.repeat(250)}@example.org`,
])('refuses the address %j', async (to) => {
  expect(isMailAddress(to)).toBe(false);
  await expect(mailWith(mailbox.settings).send({ ...message, to })).rejects.toMatchObject({ kind: 'VALIDATION' });
  expect(mailbox.received).toEqual([]);
});

it('uses TLS if offered, and authenticates', async () => {
  await mailWith({ ...mailbox.settings, 'smtp.user': 'site', 'smtp.password': 'secret' }).send(message);
  expect(await mailbox.next()).toMatchObject({ secure: true, user: 'site' });
});

describe('with smtp.starttls', () => {
  it('sends nothing to a server with an untrusted certificate', async () => {
    const mail = mailWith({ ...mailbox.settings, 'smtp.starttls': true });
    await expect(mail.send(message)).rejects.toMatchObject({ kind: 'UNAVAILABLE' });
  });

  it('sends nothing to a server without TLS', async () => {
    const plain = await createMailbox({ disabledCommands: ['STARTTLS'] });
    const mail = mailWith({ ...plain.settings, 'smtp.starttls': true });
    await expect(mail.send(message)).rejects.toMatchObject({ kind: 'UNAVAILABLE' });
    await mailWith(plain.settings).send(message);
    expect(await plain.next()).toMatchObject({ secure: false });
    await plain.end();
  });
});

describe('if mail cannot be sent', () => {
  const offline = { 'smtp.server': '127.0.0.1:1' };

  it('refuses required mail, and names the setting if it is missing', async () => {
    const none = mailWith({});
    expect(none.available).toBe(false);
    await expect(none.send(message)).rejects.toMatchObject({
      kind: 'UNAVAILABLE',
      message: expect.stringContaining('smtp.server'),
    });
    await expect(mailWith(offline).send(message)).rejects.toMatchObject({
      kind: 'UNAVAILABLE',
      message: 'The mail could not be sent. Try again later.',
    });
  });

  it('logs an optional mail without its text', async () => {
    logged.length = 0;
    expect(await mailWith({}).offer({ ...message, text: 'the key' })).toBe(false);
    expect(await mailWith(offline).offer({ ...message, text: 'the key' })).toBe(false);
    expect(logged.join('')).toContain('mail not sent');
    expect(logged.join('')).not.toContain('the key');
  });

  it('returns the same error if the server refuses the recipient', async () => {
    const strict = await createMailbox({ onRcptTo: (_address, _session, done) => done(new Error('no such user')) });
    await expect(mailWith(strict.settings).send(message)).rejects.toMatchObject({ kind: 'UNAVAILABLE' });
    await strict.end();
  });
});

it('sends an optional mail', async () => {
  expect(await mailWith(mailbox.settings).offer(message)).toBe(true);
  expect(await mailbox.next()).toMatchObject({ subject: 'Hello' });
});
