/** Programs for tests from Maven's registry, cached in .cache and run on the loopback. */
import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withLock } from '../../scripts/stamp.mjs';
import { projectRoot } from '../../src/kernel/root.ts';
import { isThere } from './runtime.ts';

/** Whether such programs can be installed and run. */
export const hasJava = (): boolean => isThere('javac') && isThere('java') && isThere('mvn');

/** Downloads an artifact (`group:name:version`) with its dependencies, once. Returns the folder that contains `lib`. */
export async function installed(artifact: string): Promise<string> {
  const [group, name, version] = artifact.split(':') as [string, string, string];
  const folder = join(projectRoot, '.cache', name, version);
  await withLock(name, async () => {
    if (existsSync(join(folder, 'done'))) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'pom.xml'), pom(group, name, version));
    const repository = `-Dmaven.repo.local=${join(projectRoot, '.cache/maven')}`;
    const goal = ['dependency:copy-dependencies', '-DoutputDirectory=lib', '-DincludeScope=runtime'];
    await promisify(execFile)('mvn', ['-q', '-B', repository, ...goal], { cwd: folder });
    writeFileSync(join(folder, 'done'), '');
  });
  return folder;
}

const pom = (group: string, name: string, version: string): string =>
  `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>for-tests</artifactId><version>1</version>
  <dependencies><dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency></dependencies>
</project>`;

/** Kills a program with SIGKILL. */
export function ended(java: ChildProcess): Promise<void> {
  if (java.exitCode !== null || java.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    java.once('exit', () => resolve());
    java.kill('SIGKILL');
  });
}
