/** A page in a headless Chromium of its own, driven by Playwright. */
import { type BrowserContextOptions, chromium, type Page as Tab } from 'playwright-core';

export interface Page {
  /** The tab itself: to fill in, to click, to look at. */
  readonly tab: Tab;
  /** The value of an expression in the page; a promise is awaited. */
  evaluate(expression: string): Promise<any>;
  /** Waits until an expression is true. @throws Error with the page's text after TIMEOUT. */
  until(expression: string): Promise<void>;
  /** Console errors, refused contents and uncaught errors so far. */
  readonly problems: string[];
  /** Addresses that the page has asked for. */
  readonly requests: string[];
  /** The page as a picture, PNG. */
  picture(): Promise<Buffer>;
  close(): Promise<void>;
}

/** Root may not use the browser's own sandbox; the rest keeps it from asking hosts of its maker. */
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

/** ms that anything in a page may take, on a busy machine too; less than a test has, so that it can say what it waited for. */
const TIMEOUT = 120_000;

export interface PageOptions extends BrowserContextOptions {
  /** Host name that leads to this machine. Unlike on `localhost`, browsers do not send `Sec-Fetch-Site` there over plain http. */
  readonly host?: string;
}

/** Opens an address in a browser of its own. */
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

  /** By asking again: a function that waits inside the page would need eval, which our pages do not allow. */
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

/** Opens the menu of the account in the header. */
export const openAccount = (tab: Tab): Promise<void> => tab.locator('.menu.own summary').click();
