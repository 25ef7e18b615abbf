/** SolrCloud for tests: a ZooKeeper and nodes of Solr in separate processes, set up as in solr/README.md. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../src/kernel/root.ts';
import { ended } from './java.ts';
import { freePort } from './port.ts';
import { type SolrNode, solrClasses, solrNode } from './solr.ts';
import { until } from './until.ts';

const COLLECTION = 'catalog';
/** ms without a heartbeat after which ZooKeeper considers a node dead. */
const SESSION_TIMEOUT = 6_000;
/** As in Solr's own solr.xml, on the loopback. The runner sets the port and the context. */
const SOLR_XML = `<solr>
  <solrcloud>
    <str name="host">127.0.0.1</str>
    <int name="hostPort">\${hostPort:0}</int>
    <str name="hostContext">\${hostContext:solr}</str>
    <int name="zkClientTimeout">${SESSION_TIMEOUT}</int>
  </solrcloud>
</solr>`;

interface Replica {
  readonly core: string;
  readonly base_url: string;
  readonly state: string;
  readonly leader?: 'true';
}

export interface SolrCloud {
  readonly nodes: readonly SolrNode[];
  /** Addresses of the collection, one per node. */
  readonly urls: readonly string[];
  /** The current leader. */
  leader(): Promise<SolrNode>;
  /** Waits until each node has an active replica. */
  whole(): Promise<unknown>;
  /** The documents that a node itself has, sorted. */
  documentsOf(node: SolrNode): Promise<string[]>;
  stop(): Promise<void>;
}

/** Starts ZooKeeper and two nodes, and makes a collection of one shard with a replica on each node. */
export async function startSolrCloud(): Promise<SolrCloud> {
  const classes = await solrClasses('9.10');
  const folder = mkdtempSync(join(tmpdir(), 'catalog-solr-cloud-'));
  const zooKeeper = `127.0.0.1:${await freePort()}`;
  const own: ChildProcess[] = [];
  const nodes: SolrNode[] = [];

  const askOf = async (node: SolrNode, path: string): Promise<any> => {
    const response = await fetch(node.urlOf(path));
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  /** Replicas of live nodes; none while no node answers. */
  async function replicas(): Promise<Replica[]> {
    const path = `admin/collections?action=CLUSTERSTATUS&collection=${COLLECTION}`;
    const status = await Promise.any(nodes.map((node) => askOf(node, path))).catch(() => null);
    if (!status) return [];
    const { cluster } = status;
    const replicasOf: Record<string, Replica> = cluster.collections[COLLECTION].shards.shard1.replicas;
    return Object.values(replicasOf).filter(({ base_url }) =>
      cluster.live_nodes.includes(`${new URL(base_url).host}_solr`),
    );
  }
  const nodeOf = ({ base_url }: Replica) => nodes.find((node) => node.urlOf('').startsWith(`${base_url}/`))!;

  const cloud: SolrCloud = {
    nodes,
    get urls() {
      return nodes.map((node) => node.urlOf(COLLECTION));
    },
    leader: () =>
      until(async () => {
        const replica = (await replicas()).find(({ leader }) => leader === 'true');
        return replica && nodeOf(replica);
      }, replicas),
    whole: () =>
      until(async () => {
        const found = await replicas();
        return found.length === nodes.length && found.every(({ state }) => state === 'active');
      }, replicas),
    async documentsOf(node) {
      const replica = (await replicas()).find((one) => nodeOf(one) === node)!;
      const query = new URLSearchParams({ q: '*:*', rows: '100000', fl: 'id,written,feed', distrib: 'false' });
      const { response } = await askOf(node, `${replica.core}/query?${query}`);
      return response.docs.map((doc: object) => JSON.stringify(doc, Object.keys(doc).sort())).sort();
    },
    async stop() {
      await Promise.all([...nodes.map((node) => node.stop()), ...own.map(ended)]);
      rmSync(folder, { recursive: true, force: true });
    },
  };

  try {
    const data = join(folder, 'zookeeper');
    const quiet = ['-Dzookeeper.admin.enableServer=false', '-Dzookeeper.forceSync=no', '-cp', classes];
    const main = [
      'org.apache.zookeeper.server.ZooKeeperServerMain',
      zooKeeper.split(':')[1]!,
      data,
      String(SESSION_TIMEOUT / 3),
    ];
    own.push(
      spawn('java', ['-Xmx64m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', ...quiet, ...main], { stdio: 'ignore' }),
    );
    // As bin/solr does.
    const cli = [`-Dsolr.install.dir=${folder}`, '-cp', classes, 'org.apache.solr.cli.SolrCLI'];
    const upload = ['zk', 'upconfig', '-n', COLLECTION, '-d', 'solr', '-z', zooKeeper];
    await promisify(execFile)('java', [...cli, ...upload], { cwd: projectRoot });
    for (const name of ['a', 'b']) {
      const home = join(folder, name);
      mkdirSync(home);
      writeFileSync(join(home, 'solr.xml'), SOLR_XML);
      const options = [`-DzkHost=${zooKeeper}`];
      nodes.push(await solrNode(classes, home, { answers: ['admin/collections?action=LIST'], options }));
    }
    await Promise.all(nodes.map((node) => node.start()));
    await askOf(
      nodes[0]!,
      `admin/collections?action=CREATE&name=${COLLECTION}&numShards=1&replicationFactor=2&collection.configName=${COLLECTION}`,
    );
    await cloud.whole();
  } catch (failure) {
    await cloud.stop();
    throw failure;
  }
  return cloud;
}
