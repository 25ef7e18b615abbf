/** Images of groups, organizations and users that are kept here. */
import type { Sql, Statement } from '../../kernel/db.ts';
import type { ImageOwner } from './image.rules.ts';

/** A kept image. */
export interface ImageRecord {
  /** Where the store has it; another image has another key. */
  readonly key: string;
  /** What the owner's imageUrl says. */
  readonly name: string;
  readonly ownerId: string;
  readonly mediaType: string;
  readonly size: number;
  readonly createdAt: Date;
}

const put = (owner: ImageOwner): Statement => ({
  name: `image_put_${owner}`,
  text: `INSERT INTO image_file (${owner}_id, key, name, media_type, size, created_at) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (${owner}_id) DO UPDATE SET key = EXCLUDED.key, name = EXCLUDED.name, media_type = EXCLUDED.media_type,
      size = EXCLUDED.size, created_at = EXCLUDED.created_at`,
});
const drop = (owner: ImageOwner): Statement => ({
  name: `image_drop_${owner}`,
  text: `DELETE FROM image_file WHERE ${owner}_id = $1`,
});
const byOwners = (owner: ImageOwner): Statement => ({
  name: `images_by_${owner}`,
  text: `SELECT key, name, ${owner}_id AS "ownerId", media_type AS "mediaType", size::float8 AS size, created_at AS "createdAt"
    FROM image_file WHERE ${owner}_id = ANY ($1)`,
});
const byName = (owner: ImageOwner): Statement => ({
  name: `image_of_${owner}_by_name`,
  text: `SELECT key, name, ${owner}_id AS "ownerId", media_type AS "mediaType", size::float8 AS size, created_at AS "createdAt"
    FROM image_file WHERE name = $1 AND ${owner}_id IS NOT NULL`,
});

const statements: Readonly<Record<ImageOwner, Readonly<Record<'put' | 'drop' | 'byOwners' | 'byName', Statement>>>> = {
  group: { put: put('group'), drop: drop('group'), byOwners: byOwners('group'), byName: byName('group') },
  user: { put: put('user'), drop: drop('user'), byOwners: byOwners('user'), byName: byName('user') },
};

/** Gives an owner an image; the one before becomes a discarded file. */
export const putImage = async (sql: Sql, owner: ImageOwner, image: ImageRecord): Promise<void> =>
  void (await sql.rows(statements[owner].put, [
    image.ownerId,
    image.key,
    image.name,
    image.mediaType,
    image.size,
    image.createdAt,
  ]));

/** Takes the image of an owner away; it becomes a discarded file. */
export const dropImage = async (sql: Sql, owner: ImageOwner, ownerId: string): Promise<void> =>
  void (await sql.rows(statements[owner].drop, [ownerId]));

/** Images of these owners, in no order; owners without one are left out. */
export const listImages = (sql: Sql, owner: ImageOwner, ownerIds: readonly string[]): Promise<ImageRecord[]> =>
  sql.rows(statements[owner].byOwners, [ownerIds]);

/** The image of that name; null when no owner of this kind has it. */
export const findImage = async (sql: Sql, owner: ImageOwner, name: string): Promise<ImageRecord | null> =>
  (await sql.rows<ImageRecord>(statements[owner].byName, [name]))[0] ?? null;
