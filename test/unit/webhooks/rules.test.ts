import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newWebhookSecret, signedHeaders } from '../../../src/webhooks/signature.ts';
import { checkWebhook, isTurnOver, pauseAfter } from '../../../src/webhooks/webhook.rules.ts';

const faultOf = (url: string, allowed: string[] = []) =>
  checkWebhook({ name: 'n', url, types: null, batchSize: 1 }, allowed).map(({ message }) => message)[0] ?? null;

describe('an address', () => {
  it.each([
    'https://example.com/hook?key=1',
    'https://93.184.216.34:8443/',
    'https://[2606:4700::1111]/',
    'https://xn--bcher-kva.example/',
  ])('is taken: %s', (url) => expect(faultOf(url)).toBeNull());

  it.each([
    ['http://example.com/', /https/],
    ['ftp://example.com/', /https/],
    ['example.com', /https/],
    ['', /https/],
    ['https://user:pass@example.com/', /user name or password/],
    [`https://example.com/${'x'.repeat(2_000)}`, /2000 characters/],
    ['https://localhost/', /[Pp]rivate/],
    ['https://api.localhost./', /[Pp]rivate/],
    ['https://127.0.0.1/', /[Pp]rivate/],
    ['https://2130706433/', /[Pp]rivate/],
    ['https://0x7f.1/', /[Pp]rivate/],
    ['https://10.1.2.3/', /[Pp]rivate/],
    ['https://169.254.169.254/latest', /[Pp]rivate/],
    ['https://[::1]/', /[Pp]rivate/],
    ['https://[::ffff:127.0.0.1]/', /[Pp]rivate/],
    ['https://[fd00::1]/', /[Pp]rivate/],
  ])('is refused: %s', (url, why) => expect(faultOf(url)).toMatch(why));

  it('of a host that the operator allows may be private and use http', () => {
    expect(faultOf('http://127.0.0.1:8080/', ['127.0.0.1:8080'])).toBeNull();
    expect(faultOf('http://Inner.example/', ['INNER.example'])).toBeNull();
    expect(faultOf('https://127.0.0.1:8081/', ['127.0.0.1:8080'])).toMatch(/[Pp]rivate/);
  });
});

describe('pauses', () => {
  it('grow fourfold up to six hours, and eleven attempts take more than a day', () => {
    const pauses = Array.from({ length: 10 }, (_, n) => pauseAfter(n + 1, 5, 0, 0.5));
    expect(pauses).toEqual([5, 20, 80, 320, 1_280, 5_120, 20_480, 21_600, 21_600, 21_600]);
    expect(pauses.reduce((all, one) => all + one) / 3_600).toBeGreaterThan(24);
  });

  it('vary by a tenth in both directions', () => {
    expect([pauseAfter(1, 100, 0, 0), pauseAfter(1, 100, 0, 1)].map(Math.round)).toEqual([90, 110]);
  });

  it('are the pause requested by the receiver if it is longer, up to six hours', () => {
    expect(pauseAfter(1, 5, 60, 0.5)).toBe(60);
    expect(pauseAfter(3, 5, 60, 0.5)).toBe(80);
    expect(pauseAfter(1, 5, 1e9, 0.5)).toBe(21_600);
  });
});

describe('signatures', () => {
  it('are those of the example in the specification of Standard Webhooks', () => {
    const headers = signedHeaders('msg_p5jXN8AQM9LWM0D4loKWxJek', new Date(1_614_265_330_000), '{"test": 2432232314}', [
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    ]);
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('are one for each secret, newest first', () => {
    const secrets = [newWebhookSecret(), newWebhookSecret()];
    const sent = signedHeaders('id', new Date(5_999), 'body', secrets)['webhook-signature']!.split(' ');
    expect(secrets[0]).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(sent).toEqual(
      secrets.map((secret) => {
        const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
        return `v1,${createHmac('sha256', key).update('id.5.body').digest('base64')}`;
      }),
    );
  });
});

it.each([
  [1, 10, false],
  [19, 1_999, false],
  [20, 10, true],
  [1, 15_000, true],
])('ends the turn of a webhook after %i messages in %i ms: %s', (messages, milliseconds, isOver) =>
  expect(isTurnOver(messages, milliseconds)).toBe(isOver),
);
