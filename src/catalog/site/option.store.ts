/** Settings changed at run time. A trigger notifies every process of a change. */
import type { SiteOption } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';

/** All options, unordered. */
export const listOptions = (db: Db): Promise<Pick<SiteOption, 'name' | 'value'>[]> =>
  db.siteOption.findMany({ select: { name: true, value: true } });

/** Writes one option. Write several in the order of their names, which prevents deadlocks. */
export const putOption = async (db: Db, name: string, value: string, changedAt: Date): Promise<void> =>
  void (await db.siteOption.upsert({
    select: { name: true },
    where: { name },
    create: { name, value, changedAt },
    update: { value, changedAt },
  }));

export const deleteOptions = async (db: Db, names: readonly string[]): Promise<void> =>
  void (await db.siteOption.deleteMany({ where: { name: { in: [...names] } } }));
