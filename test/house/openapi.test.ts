/** openapi.json, help_show and docs/actions.md are generated from the action table, and describe every action and parameter. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { actions } from '../../facades/action/actions.ts';
import { helpText, type Row } from '../../facades/action/help.ts';
import { tagOf } from '../../facades/action/openapi/tags.ts';
import { FILE, type Param } from '../../facades/action/params.ts';
import { filePaths } from '../../facades/files/openapi.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { describeApi } from '../helpers/openapi.ts';

type Operation = any;

const docs = readFileSync(join(projectRoot, 'docs/actions.md'), 'utf8');
const rows = Object.entries(actions) as [string, Row][];
const paramsOf = (row: Row): [string, Param<unknown>][] => Object.entries(row.params);

describe.each(['contract', 'http'] as const)('with statuses as in %s', (statuses) => {
  const api = describeApi(statuses);
  const paths = api.paths as Record<string, Record<string, Operation>>;
  const operations = rows.flatMap(([name]) => Object.values(paths[`/api/3/action/${name}`]!));

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate({ ...api, paths: { ...paths, ...filePaths } });
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  it('has no missing and no unused components', () => {
    const text = JSON.stringify(api);
    const referred = new Set([...text.matchAll(/"#\/components\/([^"]+)"/g)].map(([, path]) => path!));
    const { securitySchemes: _schemes, ...components } = api.components;
    const there = Object.entries(components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `${kind}/${name}`),
    );
    expect([...referred].sort()).toEqual(there.sort());
  });

  it('has one operation for every action and method', () => {
    expect(Object.keys(paths)).toHaveLength(rows.length);
    for (const [name, { kind }] of rows)
      expect(Object.keys(paths[`/api/3/action/${name}`]!)).toEqual(kind === 'read' ? ['get', 'post'] : ['post']);
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('gives every operation a declared tag', () => {
    const declared = api.tags.map(({ name }) => name);
    expect(operations.filter(({ tags }) => !declared.includes(tags[0]))).toEqual([]);
  });

  it.each(rows)('describes %s like its help and docs/actions.md', (name, row) => {
    const { get, post } = paths[`/api/3/action/${name}`]!;
    const help = helpText(name, row, 'http://catalog.test');
    const section = docs.split(`\n## ${name}\n`)[1]!.split('\n## ')[0]!;
    for (const text of [help, section]) for (const said of [row.summary, row.returns]) expect(text).toContain(said);
    for (const operation of [get, post].filter(Boolean)) {
      expect(operation.summary).toBe(row.summary);
      expect(operation.description).toContain(row.returns);
      expect(operation.deprecated ?? false).toBe(row.deprecated !== undefined);
    }
    const { content } = post.requestBody;
    const { properties, required = [] } = (content['multipart/form-data'] ?? content['application/json']).schema;
    expect(Object.keys(properties)).toEqual(Object.keys(row.params));
    const inJson = Object.keys(content['application/json'].schema.properties);
    expect(inJson).toEqual(
      paramsOf(row)
        .filter(([, { type }]) => type !== FILE)
        .map(([param]) => param),
    ); // prettier-ignore
    for (const [param, { about, required: needed, deprecated = false }] of paramsOf(row)) {
      expect(help).toContain(about);
      expect(section).toContain(about.replaceAll('|', '\\|'));
      expect(properties[param].description).toBe(about);
      expect(properties[param].deprecated ?? false).toBe(deprecated);
      expect(required.includes(param)).toBe(needed);
      if (row.kind === 'write') continue;
      const asked = get.parameters.find((found: { name?: string }) => found.name === param);
      expect(asked).toMatchObject({ in: 'query', description: about, required: needed });
    }
  });
});

it('groups actions by their object', () => {
  const where = (name: string) => `${name}: ${tagOf(name)}`;
  expect(
    [
      'current_package_list_with_resources',
      'group_package_show',
      'organization_list_for_user',
      'member_list',
      'tag_show',
      'help_show',
      'package_resource_reorder',
      'user_show',
    ].map(where),
  ).toEqual([
    'current_package_list_with_resources: Datasets',
    'group_package_show: Groups',
    'organization_list_for_user: Organizations',
    'member_list: Members',
    'tag_show: Tags',
    'help_show: Site',
    'package_resource_reorder: Resources',
    'user_show: Users',
  ]);
});
