/** A page in a headless Chromium, driven over the DevTools protocol's pipe: no package, no port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

export interface Page {
  /** The value of an expression in the page; a promise is awaited. */
  evaluate(expression: string): Promise<any>;
  /** Waits until an expression is true. @throws Error with the page's text after 10 s. */
  until(expression: string): Promise<void>;
  /** Console errors, refused contents and uncaught errors so far. */
  readonly problems: string[];
  /** Addresses that the page has asked for. */
  readonly requests: string[];
  /** The page as a picture, PNG. */
  picture(): Promise<Buffer>;
  close(): Promise<void>;
}

const FLAGS = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--window-size=1280,800',
];

/** Opens an address in a browser of its own. */
export async function openPage(chromium: string, url: string): Promise<Page> {
  const profile = mkdtempSync(join(tmpdir(), 'catalog-browser-'));
  const browser = spawn(chromium, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const problems: string[] = [];
  const requests: string[] = [];
  const send = connect(browser, (method, params) => {
    if (method === 'Network.requestWillBeSent') requests.push(params.request.url);
    if (method === 'Log.entryAdded' && params.entry.level === 'error') problems.push(params.entry.text);
    if (method === 'Runtime.exceptionThrown')
      problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === 'Runtime.consoleAPICalled' && params.type === 'error')
      problems.push(
        params.args.map((arg: { value?: unknown; description?: string }) => arg.value ?? arg.description).join(' '),
      );
  });
  const { targetInfos } = await send('Target.getTargets');
  const { targetId } = targetInfos.find((target: { type: string }) => target.type === 'page');
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const inPage = (method: string, params: object = {}) => send(method, params, sessionId);
  for (const domain of ['Runtime', 'Log', 'Network', 'Page']) await inPage(`${domain}.enable`);
  await inPage('Page.navigate', { url });

  async function evaluate(expression: string): Promise<any> {
    const { result, exceptionDetails } = await inPage('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async function until(expression: string): Promise<void> {
    for (let tries = 0; tries < 100; tries++) {
      if (await evaluate(`Boolean(${expression})`)) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`never true: ${expression}\n${await evaluate('document.body.innerText')}\n${problems.join('\n')}`);
  }

  return {
    evaluate,
    until,
    problems,
    requests,
    picture: async () => Buffer.from((await inPage('Page.captureScreenshot')).data, 'base64'),
    async close() {
      const ended = new Promise((resolve) => browser.once('exit', resolve));
      await Promise.race([
        send('Browser.close').then(() => ended),
        new Promise((resolve) => setTimeout(resolve, 5_000).unref()),
      ]).catch(() => {});
      if (browser.exitCode === null && browser.signalCode === null) {
        browser.kill('SIGKILL');
        await ended;
      }
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }); // its helpers may write a little longer
    },
  };
}

/** Commands over the browser's fourth and fifth file; messages end in NUL. */
function connect(browser: ChildProcess, onEvent: (method: string, params: any) => void) {
  const [to, from] = browser.stdio.slice(3) as unknown as [Writable, Readable];
  const waiting = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void }>();
  let last = 0;
  let rest = '';
  from.setEncoding('utf8').on('data', (chunk: string) => {
    const messages = (rest + chunk).split('\0');
    rest = messages.pop() as string;
    for (const { id, result, error, method, params } of messages.map((message) => JSON.parse(message))) {
      if (id === undefined) onEvent(method, params);
      else if (error) waiting.get(id)?.reject(new Error(error.message));
      else waiting.get(id)?.resolve(result);
      waiting.delete(id);
    }
  });
  browser.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the browser ended'));
  });
  browser.once('error', (error) => {
    for (const { reject } of waiting.values()) reject(error);
  });
  to.on('error', () => {}); // the exit tells it
  return (method: string, params: object = {}, sessionId?: string): Promise<any> =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      to.write(`${JSON.stringify({ id: last, method, params, ...(sessionId && { sessionId }) })}\0`);
    });
}
