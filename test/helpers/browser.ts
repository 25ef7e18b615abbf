/** A page in a separate headless Chromium, driven by Playwright. */
import { type BrowserContextOptions, chromium, type Page as Tab } from 'playwright-core';

export interface Page {
  /** The Playwright page, for input, clicks and queries. */
  readonly tab: Tab;
  /** The value of an expression in the page; a promise is awaited. */
  evaluate(expression: string): Promise<any>;
  /** Waits until an expression is true. @throws Error with the page's text after TIMEOUT. */
  until(expression: string): Promise<void>;
  /** Console errors, blocked content and uncaught errors so far. */
  readonly problems: string[];
  /** URLs that the page has requested. */
  readonly requests: string[];
  /** A screenshot of the page, as PNG. */
  picture(): Promise<Buffer>;
  close(): Promise<void>;
}

/** Root cannot use the browser's sandbox. The other flags stop background requests to the browser vendor. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Timeout in ms of every action in a page. It is below the timeout of tests, so that the error names the condition. */
const TIMEOUT = 120_000;

export interface PageOptions extends BrowserContextOptions {
  /** Host name that resolves to this machine. Over plain http, browsers send `Sec-Fetch-Site` to `localhost`, but not to this name. */
  readonly host?: string;
}

/** Opens a URL in a separate browser. */
export async function openPage(
  executablePath: string,
  url: string,
  { host, ...options }: PageOptions = {},
): Promise<Page> {
  const args = host === undefined ? FLAGS : [...FLAGS, `--host-resolver-rules=MAP ${host} 127.0.0.1`];
  const browser = await chromium.launch({ executablePath, args });
  const tab = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  tab.setDefaultTimeout(TIMEOUT);
  const problems: string[] = [];
  const requests: string[] = [];
  tab.on('request', (request) => requests.push(request.url()));
  tab.on('pageerror', (error) => problems.push(String(error.stack ?? error)));
  tab.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await tab.goto(url);

  /** Polls from outside: a wait inside the page would need eval, which our pages do not allow. */
  async function until(expression: string): Promise<void> {
    for (const end = Date.now() + TIMEOUT; Date.now() < end; await tab.waitForTimeout(100))
      if (await tab.evaluate(`Boolean(${expression})`)) return;
    const text = await tab.evaluate('document.body.innerText');
    throw new Error(`never true: ${expression}\n${text}\n${problems.join('\n')}`);
  }

  return {
    tab,
    evaluate: (expression) => tab.evaluate(expression),
    until,
    problems,
    requests,
    picture: () => tab.screenshot(),
    close: () => browser.close(),
  };
}

/** Opens the account menu in the header. */
export const openAccount = (tab: Tab): Promise<void> => tab.locator('.menu.own summary').click();
