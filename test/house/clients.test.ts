/** PostgreSQL clients and pools are created in one place, which sets an error listener and timeouts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';

const PLACE = 'src/infra/postgres/client.ts';

it('creates clients and pools only in infra/postgres/client.ts', () => {
  const files = ['src', 'facades'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('generated'))
      .map((name) => join(folder, name)),
  );
  const makers = files.filter((file) =>
    /new (?:pg\.)?(?:Client|Pool)\b(?!\(\{\s*connectionString)|new pg\./.test(
      readFileSync(join(projectRoot, file), 'utf8'),
    ),
  );
  expect(makers).toEqual([PLACE]);
});
