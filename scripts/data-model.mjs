/**
 * Prisma generator that writes src/generated/data-model.json, the models of prisma/schema.prisma as data (Prisma's DMMF). docs/schema.md
 * and the test that compares the schema with the database use it. `prisma generate` starts this program, sends requests line by line
 * (JSON-RPC) and reads the responses from its standard error.
 */
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const MANIFEST = { manifest: { prettyName: 'the data model', defaultOutput: '../src/generated/data-model.json' } };

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === 'generate')
    writeFileSync(params.generator.output.value, JSON.stringify(params.dmmf.datamodel, null, 1));
  const result = method === 'getManifest' ? MANIFEST : null;
  process.stderr.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
}
