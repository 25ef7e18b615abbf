/** Reads a connection of the graph to its end, in both directions. */
import { expect } from '@jest/globals';
import type { TestUser } from './make.ts';
import type { World } from './world.ts';

/**
 * All nodes of a list, page by page from its start and from its end, which must agree with each other and with
 * `totalCount`. `list` is a field with its arguments, without the closing bracket.
 */
export async function walkBoth(
  world: World,
  list: string,
  inner: string,
  { as, size, of }: { as: TestUser | null; size: number; of?: string },
): Promise<any[]> {
  const found: any[][] = [];
  for (const [count, cursor, more, end] of [
    ['first', 'after', 'hasNextPage', 'endCursor'],
    ['last', 'before', 'hasPreviousPage', 'startCursor'],
  ] as const) {
    const field = `list: ${list}, ${count}: ${size}, ${cursor}: $at) {
      totalCount nodes ${inner} pageInfo { ${more} ${end} } }`;
    const text = `query ($at: String) { ${of ? `${of} { ${field} }` : field} }`;
    const nodes: any[] = [];
    for (let at: string | null = null, isMore = true, pages = 0; isMore; pages += 1) {
      const { body, text: answer } = await world.graph(text, { at }, { as });
      if (body.errors) throw new Error(`${text}\n${at}\nanswered ${answer}`);
      const page: any = (of ? body.data[of] : body.data).list;
      nodes[count === 'first' ? 'push' : 'unshift'](...page.nodes);
      [at, isMore] = [page.pageInfo[end], page.pageInfo[more]];
      if (!isMore) expect(page.totalCount).toBe(nodes.length);
      expect(pages).toBeLessThan(100);
    }
    found.push(nodes);
  }
  expect(found[1]).toEqual(found[0]);
  return found[0]!;
}
