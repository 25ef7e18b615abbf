/** Runs a block of each language. Each function returns the output of the block. */
import { writeFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { type OperationDefinitionNode, parse, print } from 'graphql';
import pg from 'pg';
import { loadSettings } from '../../src/kernel/config.ts';
import { addressOf } from '../helpers/database.ts';
import type { RunLanguage } from '../helpers/page-blocks.ts';
import type { Page } from './pages.ts';
import type { Scene } from './scene.ts';

type Run = (scene: Scene, text: string, page: Page) => Promise<string>;

/** Accepts only variables that the server accepts. */
const VARIABLES = /^(?:([A-Z_]+)='([^']*)'\n)+$/;

const sh: Run = async (scene, text, { env, streams = {} }) => {
  if (VARIABLES.test(text)) {
    const variables = [...text.matchAll(/^(\w+)='(.*)'$/gm)].map(([, name, value]) => [name!, value!] as const);
    loadSettings({ CATALOG_HOME: scene.folder, ...Object.fromEntries(variables) });
    return '';
  }
  const [, stream] = Object.entries(streams).find(([command]) => text.includes(command)) ?? [];
  return scene.shell(text, await env?.(scene, text), stream);
};

/** Runs each operation of the block with the administrator's key. Every root field must have a value. */
const graphql: Run = async (scene, text, { variables, isContract }) => {
  const answers: string[] = [];
  for (const definition of parse(text).definitions as OperationDefinitionNode[]) {
    const names = definition.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
    const all = names.length > 0 ? ((await variables?.(scene)) ?? {}) : {};
    const own = Object.fromEntries(names.map((name) => [name, all[name]]));
    const query = print(definition);
    const answer = isContract
      ? (await scene.old.full(query, own)).body
      : await send(scene, { query, variables: own }, definition.operation === 'subscription');
    expect({ query, errors: answer.errors }).toEqual({ query, errors: undefined });
    for (const [field, value] of Object.entries<any>(answer.data)) {
      expect([field, value]).toEqual([field, expect.anything()]);
      expect([field, value.errors ?? []]).toEqual([field, []]);
    }
    scene.answer = answer.data;
    answers.push(JSON.stringify(answer));
  }
  return answers.join('\n');
};

async function send(scene: Scene, body: object, isStream: boolean): Promise<any> {
  writeFileSync(scene.file('operation.json'), JSON.stringify(body));
  const accept = isStream ? 'text/event-stream' : 'application/json';
  const text = await scene.shell(
    `curl -N ${scene.base}/graphql -H "Authorization: $KEY" -H 'Content-Type: application/json' -H 'Accept: ${accept}' -d @operation.json`,
    {},
    isStream ? { until: /^data: ./m } : undefined,
  );
  return JSON.parse(isStream ? /^data: (.+)$/m.exec(text)![1]! : text);
}

/** Checks that the server accepts a settings file. */
const yaml: Run = async (scene, text) => {
  writeFileSync(scene.file('settings.yaml'), text);
  loadSettings({ CATALOG_HOME: scene.folder }, scene.file('settings.yaml'));
  return '';
};

/** Checks on a new database `datastore` that each role has exactly the permissions that it needs. */
const sql: Run = async (scene, text) => {
  const name = `pages_${process.pid}`;
  const inDatabase = async (database: string, statement: string, role?: 'datastore_write' | 'datastore_read') => {
    const client = new pg.Client({ connectionString: addressOf(database, role) });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await inDatabase('postgres', `CREATE DATABASE ${name} OWNER catalog_owner`);
  scene.atEnd(() => inDatabase('postgres', `DROP DATABASE ${name} WITH (FORCE)`));
  await inDatabase(name, text.replaceAll('DATABASE datastore ', `DATABASE ${name} `));
  await inDatabase(name, 'CREATE TABLE a (n int)', 'datastore_write');
  await inDatabase(name, 'SELECT n FROM a', 'datastore_read');
  await expect(inDatabase(name, 'CREATE TABLE b (n int)', 'datastore_read')).rejects.toThrow();
  return '';
};

/** The command of a line, without timings. */
const crontab: Run = (scene, text, page) => sh(scene, text.replaceAll(/^(?:\S+ ){5}/gm, ''), page);

const js: Run = async (scene, text, { program = {} }) => {
  const { first, last = '', command = 'node program.mjs' } = program;
  const rest = text.includes('.subscribe(') ? '' : last;
  writeFileSync(scene.file('program.mjs'), `${first?.(scene) ?? ''}\n${text}\n${rest}\n`);
  return scene.shell(command);
};

export const RUN: Readonly<Record<RunLanguage, Run>> = { sh, graphql, yaml, sql, crontab, js };
