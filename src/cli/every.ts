/** Reads the pages of a list. */

interface Page<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

const PAGE = 100;

/** Up to `limit` items. */
export async function upTo<Node>(
  limit: number,
  read: (page: { first: number; after: string | null }) => Promise<Page<Node>>,
): Promise<Node[]> {
  const found: Node[] = [];
  for (let after: string | null = null; found.length < limit; ) {
    const { nodes, pageInfo }: Page<Node> = await read({ first: Math.min(PAGE, limit - found.length), after });
    found.push(...nodes);
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor ?? null;
  }
  return found;
}

/** A time as ISO text; null stays null. */
export const isoOf = (time: Date | string | null | undefined): string | null =>
  time == null ? null : new Date(time).toISOString();
