/** Checks the table of the legacy interfaces: every address is valid, unique and documented. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { getOperationAST } from 'graphql';
import { rows } from '../../facades/legacy/rows/index.ts';
import { RELATIONSHIP_TYPES } from '../../src/catalog/dataset/relationships/relationship.rules.ts';
import { compileOperation } from '../../src/graph/run.ts';
import { schema } from '../../src/graph/schema.ts';
import { projectRoot } from '../../src/kernel/root.ts';

const READS = ['GET', 'FORM', 'QUERY'];
const addresses = rows.map(({ method, path }) => `${method} ${path}`);

it.each(rows.map((row) => [`${row.method} ${row.path}`, row] as const))(
  '%s has an operation of its kind that fits the schema and compiles',
  (_address, { method, document, created }) => {
    expect(getOperationAST(document)!.operation).toBe(READS.includes(method) ? 'query' : 'mutation');
    compileOperation(schema, document);
    if (created) expect(method).toBe('POST');
  },
);

it('has every address once, and every relationship type', () => {
  expect(addresses.filter((address, at) => addresses.indexOf(address) !== at)).toEqual([]);
  for (const type of RELATIONSHIP_TYPES) expect(addresses).toContain(`PUT /rest/dataset/:id/${type}/:other`);
});

it('equals docs/legacy.md, row by row', () => {
  const page = readFileSync(join(projectRoot, 'docs/legacy.md'), 'utf8');
  const documented = [...page.matchAll(/^\| ([A-Z]+) \| `([^`]+)` \| .*\. \|$/gm)].flatMap(([, method, path]) =>
    path!.includes('<type>')
      ? RELATIONSHIP_TYPES.map((type) => `${method} ${path!.replace('<type>', type)}`)
      : [`${method} ${path}`],
  );
  expect(documented.sort()).toEqual([...addresses].sort());
});
