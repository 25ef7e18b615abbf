/** A real Solr for tests: from Maven's registry, with the configuration of `solr/conf`, on the loopback. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { withLock } from '../../scripts/stamp.mjs';
import { openDatabase } from '../../src/infra/postgres/db.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import type { Settings } from '../../src/kernel/settings.ts';
import { type Feed, feedOf } from '../../src/search/solr/feed.service.ts';
import { ended, installed } from './java.ts';
import { freePort } from './port.ts';
import { createWorld, type World } from './world.ts';

/** Artifact and package of JettySolrRunner, with which Solr's own tests run Solr. */
const VERSIONS = {
  '8.11': ['org.apache.solr:solr-core:8.11.4', 'org.apache.solr.client.solrj.embedded'],
  '9.10': ['org.apache.solr:solr-test-framework:9.10.1', 'org.apache.solr.embedded'],
} as const;
export type SolrVersion = keyof typeof VERSIONS;
export const SOLR_VERSIONS = Object.keys(VERSIONS) as SolrVersion[];

/** It listens on the loopback only. */
const mainOf = (embedded: string): string => `import ${embedded}.*;
public class SolrMain {
  public static void main(String[] args) throws Exception {
    JettyConfig config = JettyConfig.builder().setContext("/solr").setPort(Integer.parseInt(args[1])).build();
    new JettySolrRunner(args[0], new java.util.Properties(), config).start();
    Thread.currentThread().join();
  }
}`;
const QUIET = '<Configuration status="off"><Loggers><Root level="off"/></Loggers></Configuration>';

/** A process of Solr with a separate folder. */
export interface SolrNode {
  /** Address of a core or collection. */
  urlOf(core: string): string;
  /** Kills it with SIGKILL. */
  kill(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Starts or restarts it with its existing data. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it on a free port with these cores, empty. */
export async function startSolr(cores: readonly string[], version: SolrVersion = '9.10'): Promise<SolrNode> {
  const home = mkdtempSync(join(tmpdir(), 'catalog-solr-'));
  writeFileSync(join(home, 'solr.xml'), '<solr/>');
  for (const core of cores) {
    mkdirSync(join(home, core));
    writeFileSync(join(home, core, 'core.properties'), `name=${core}`);
    cpSync(join(projectRoot, 'solr/conf'), join(home, core, 'conf'), { recursive: true });
  }
  const server = await solrNode(await solrClasses(version), home, {
    answers: cores.map((core) => `${core}/query?q=*:*`),
  });
  try {
    await server.start();
  } catch (failure) {
    await server.stop();
    throw failure;
  }
  return server;
}

/** The class path of a version, with SolrMain. */
export async function solrClasses(version: SolrVersion): Promise<string> {
  const [artifact, embedded] = VERSIONS[version];
  const folder = await installed(artifact);
  await withLock(`solr-main-${version}`, async () => {
    if (existsSync(join(folder, 'SolrMain.class'))) return;
    writeFileSync(join(folder, 'SolrMain.java'), mainOf(embedded));
    await promisify(execFile)('javac', ['-cp', join(folder, 'lib/*'), 'SolrMain.java'], { cwd: folder });
  });
  return [folder, join(folder, 'lib/*')].join(':');
}

/** A node that can be started in a home with a solr.xml; it has started when all these paths answer. */
export async function solrNode(
  classes: string,
  home: string,
  { answers, options = [] }: { answers: readonly string[]; options?: readonly string[] },
): Promise<SolrNode> {
  writeFileSync(join(home, 'log4j2.xml'), QUIET);
  const port = await freePort();
  const urlOf = (core: string) => `http://127.0.0.1:${port}/solr/${core}`;
  const words = [
    ...['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Ddisable.configEdit=true', ...options],
    ...[`-Dlog4j.configurationFile=${join(home, 'log4j2.xml')}`, '-cp', classes, 'SolrMain', home, String(port)],
  ];
  let java: ChildProcess | undefined;
  const node: SolrNode = {
    urlOf,
    async start() {
      java = spawn('java', words, { stdio: 'ignore' });
      for (const path of answers) await answered(urlOf(path), java);
    },
    kill: () => (java ? ended(java) : Promise.resolve()),
    signal: (name) => void java?.kill(name),
    async stop() {
      await node.kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
  return node;
}

async function answered(url: string, java: ChildProcess): Promise<void> {
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

/** A catalog that searches in a separate core. Before each request, earlier writes are sent to the core. */
export async function createSolrWorld(url: string, settings: Partial<Settings> = {}): Promise<SolrWorld> {
  const world = await createWorld({ ...settings, 'catalog.search.solr_url': [url] }, { counts: true });
  const database = openDatabase({ url: world.database.url, max: 1 });
  const feed = feedOf(database.sql, [url], 0);
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
