/** A real Solr for tests: from Maven's registry, with the configuration of `solr/conf`, on the loopback. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { withLock } from '../../scripts/stamp.mjs';
import { openDatabase } from '../../src/infra/postgres/db.ts';
import type { Settings } from '../../src/kernel/config.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { type Feed, feedOf } from '../../src/search/solr/feed.service.ts';
import { ended, installed } from './java.ts';
import { freePort } from './port.ts';
import { createWorld, type World } from './world.ts';

const ARTIFACT = 'org.apache.solr:solr-core:8.11.4';
/** solr-core has what serves it in a test of its own; it listens on the loopback only. */
const MAIN = `import org.apache.solr.client.solrj.embedded.*;
public class SolrMain {
  public static void main(String[] args) throws Exception {
    JettyConfig config = JettyConfig.builder().setContext("/solr").setPort(Integer.parseInt(args[1])).build();
    new JettySolrRunner(args[0], new java.util.Properties(), config).start();
    Thread.currentThread().join();
  }
}`;
const QUIET = '<Configuration status="off"><Loggers><Root level="off"/></Loggers></Configuration>';

export interface SolrServer {
  /** Address of a core. */
  urlOf(core: string): string;
  /** Kills it, without a word. */
  kill(): Promise<void>;
  /** Starts it again, with all that it wrote. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it on a free port with these cores, empty. */
export async function startSolr(cores: readonly string[]): Promise<SolrServer> {
  const program = await installed(ARTIFACT);
  await compile(program);
  const home = mkdtempSync(join(tmpdir(), 'catalog-solr-'));
  writeFileSync(join(home, 'solr.xml'), '<solr/>');
  writeFileSync(join(home, 'log4j2.xml'), QUIET);
  for (const core of cores) {
    mkdirSync(join(home, core));
    writeFileSync(join(home, core, 'core.properties'), `name=${core}`);
    cpSync(join(projectRoot, 'solr/conf'), join(home, core, 'conf'), { recursive: true });
  }
  const port = await freePort();
  const urlOf = (core: string) => `http://127.0.0.1:${port}/solr/${core}`;
  const options = [
    ...['-Xmx256m', '-XX:TieredStopAtLevel=1', '-Ddisable.configEdit=true'],
    `-Dlog4j.configurationFile=${join(home, 'log4j2.xml')}`,
  ];
  let java: ChildProcess | undefined;
  const server: SolrServer = {
    urlOf,
    async start() {
      const paths = [program, join(program, 'lib/*')].join(':');
      java = spawn('java', [...options, '-cp', paths, 'SolrMain', home, String(port)], { stdio: 'ignore' });
      for (const core of cores) await answers(`${urlOf(core)}/query?q=*:*`, java);
    },
    kill: () => (java ? ended(java) : Promise.resolve()),
    async stop() {
      await server.kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
  try {
    await server.start();
  } catch (failure) {
    await server.stop();
    throw failure;
  }
  return server;
}

const compile = (folder: string): Promise<void> =>
  withLock('solr-main', async () => {
    if (existsSync(join(folder, 'SolrMain.class'))) return;
    writeFileSync(join(folder, 'SolrMain.java'), MAIN);
    await promisify(execFile)('javac', ['-cp', join(folder, 'lib/*'), 'SolrMain.java'], { cwd: folder });
  });

async function answers(url: string, java: ChildProcess): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    if (tries > 600 || java.exitCode !== null) throw new Error(`Solr does not answer ${url}: ${answer?.status}`);
    await sleep(100);
  }
}

export interface SolrWorld extends World {
  readonly feed: Feed;
}

/** A catalog that searches in a core of its own. Before each request, the core takes over what was written. */
export async function createSolrWorld(url: string, settings: Partial<Settings> = {}): Promise<SolrWorld> {
  const world = await createWorld({ ...settings, 'catalog.search.solr_url': url }, { counts: true });
  const database = openDatabase({ url: world.database.url, max: 1 });
  const feed = feedOf(database.sql, url, 0);
  const fed =
    <Args extends unknown[], Answer>(ask: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      await feed.follow();
      return ask(...args);
    };
  return {
    ...world,
    feed,
    action: fed(world.action),
    result: fed(world.result),
    graph: fed(world.graph),
    async end() {
      await database.close();
      await world.end();
    },
  };
}
