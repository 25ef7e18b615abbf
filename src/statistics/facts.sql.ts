/**
 * Defines how objects and changes are counted, as fragments of statements. In SQL because Prisma cannot group by expressions. The
 * statements that keep counts up and those that check them share the fragments.
 */

/** Maximum characters of a key, so that it fits an index. */
const MAX_KEY = 200;
const key = (text: string): string => `left(${text}, ${MAX_KEY})`;

/** The scope of a dataset by its facts: the only callers (besides sysadmins) who may read it. As in document/readable.ts. */
const scope = (
  isPublic: string,
  state: string,
  owner: string,
  creator: string,
): string => `CASE WHEN ${isPublic} THEN 'public'
  WHEN ${owner} IS NOT NULL THEN CASE WHEN ${state} IN ('active', 'deleted') THEN 'member:' ELSE 'editor:' END || ${owner}
  WHEN ${creator} IS NOT NULL AND ${state} <> 'deleted' THEN 'creator:' || ${creator} ELSE 'none' END`;

/** The scope of a row of `dataset` or `dataset_document`. */
export const scopeOf = (d: string): string =>
  scope(`${d}.state = 'active' AND NOT ${d}.private`, `${d}.state`, `${d}.owner_organization_id`, `${d}.creator_id`);

/** Every object counts a second time in `all`, so that sysadmins read one scope. */
export const scopesOf = (scope: string): string => `unnest(ARRAY[${scope}, 'all'])`;

/** Sum of the sizes of resources. Negative sizes, which writers can enter, count as 0. */
const bytesOf = (size: string): string => `coalesce(sum(greatest(${size}, 0)), 0)`;

/** Links by verdict: of all datasets, of each organization, and organizations by verdict. Deleted organizations form no group. */
const LINK_PARTS = `x.dimension, x.key, count(*), ${bytesOf('r.size')}, count(*) FILTER (WHERE r.datastore_active)
  FROM resource r JOIN resource_link l ON l.resource_id = r.id
    LEFT JOIN group_account o ON o.id = f.owner AND o.state = 'active'
    CROSS JOIN LATERAL (VALUES ('link', l.verdict), ('link ' || o.id, l.verdict), ('organization ' || l.verdict, o.id)) x(dimension, key)`;

/**
 * Current counts of the objects that `ids` (kind, id) selects, as a table `kind, id, scope, parts`. Datasets count
 * by state; active ones by everything else too.
 */
export const currentParts = (ids: string): string => `
  SELECT 'dataset' AS kind, f.id, f.scope, p.parts FROM (
      SELECT d.dataset_id AS id, d.state, d.type, d.owner_organization_id AS owner, s.license_id AS license, r.resources, r.bytes, r.tables,
        ${scopeOf('d')} AS scope
      FROM dataset_document d JOIN dataset s ON s.id = d.dataset_id
      CROSS JOIN LATERAL (SELECT count(*) AS resources, ${bytesOf('size')} AS bytes, count(*) FILTER (WHERE datastore_active) AS tables
        FROM resource WHERE dataset_id = d.dataset_id AND state = 'active') r
      WHERE d.dataset_id IN (SELECT id FROM ${ids} WHERE kind = 'dataset')) f
    CROSS JOIN LATERAL (SELECT jsonb_agg(jsonb_build_array(v.dimension, v.key, v.resources, v.bytes, v.tables) ORDER BY v.dimension, v.key) AS parts
      FROM (SELECT 'state' AS dimension, ${key('f.state')} AS key, f.resources, f.bytes, f.tables
        UNION ALL SELECT k.dimension, k.key, f.resources, f.bytes, f.tables FROM (
            SELECT 'type' AS dimension, ${key('f.type')} AS key
            UNION ALL SELECT 'license', ${key('f.license')} WHERE f.license <> ''
            UNION ALL SELECT 'organization', g.id FROM group_account g WHERE g.id = f.owner AND g.state = 'active'
            UNION ALL SELECT 'group', g.id FROM dataset_group x JOIN group_account g ON g.id = x.group_id
              WHERE x.dataset_id = f.id AND g.state = 'active' AND NOT g.is_organization
            UNION ALL SELECT 'tag', ${key('t.name')} FROM dataset_tag u JOIN tag t ON t.id = u.tag_id
              WHERE u.dataset_id = f.id AND t.vocabulary_id IS NULL) k WHERE f.state = 'active'
        UNION ALL SELECT 'format', ${key('r.format')}, count(*), ${bytesOf('r.size')}, count(*) FILTER (WHERE r.datastore_active)
          FROM resource r WHERE f.state = 'active' AND r.dataset_id = f.id AND r.state = 'active' AND r.format <> '' GROUP BY 2
        UNION ALL SELECT ${LINK_PARTS} WHERE f.state = 'active' AND r.dataset_id = f.id AND r.state = 'active' AND l.verdict IS NOT NULL
          AND x.dimension IS NOT NULL AND x.key IS NOT NULL GROUP BY 1, 2) v) p
  UNION ALL SELECT 'user', u.id, CASE u.state WHEN 'active' THEN 'public' ELSE 'none' END,
      jsonb_build_array(jsonb_build_array('user', u.state, 0, 0, 0))
    FROM user_account u WHERE u.id IN (SELECT id FROM ${ids} WHERE kind = 'user')`;

/** Counts of `parts` (scope, sign, parts), summed by scope, dimension and key. */
export const summedParts = (from: string): string => `
  SELECT x.scope, p.part ->> 0 AS dimension, p.part ->> 1 AS key, sum(c.sign)::bigint AS objects,
    sum(c.sign * (p.part ->> 2)::bigint)::bigint AS resources, sum(c.sign * (p.part ->> 3)::numeric) AS bytes,
    sum(c.sign * (p.part ->> 4)::bigint)::bigint AS tables
  FROM (${from}) c CROSS JOIN LATERAL jsonb_array_elements(c.parts) p(part) CROSS JOIN LATERAL ${scopesOf('c.scope')} x(scope)
  GROUP BY 1, 2, 3`;

/** Actions that are edits. A note of a user changes nothing. */
export const EDITS = ['created', 'updated', 'deleted', 'restored', 'purged'] as const;

/** Facts about the dataset: as a change left it; for deletions, as it was before. */
const FACTS = `CASE WHEN c.action IN ('deleted', 'purged') THEN coalesce(c.readers_before, c.readers) ELSE c.readers END`;

const fact = (name: string): string => `(f.facts ->> '${name}')`;

/**
 * Changes of datasets among `from` (rows of change and a sign), summed by scope, dimension, month, key and action. `days`
 * has the sum of each day, for 31 days.
 */
export const summedChanges = (from: string): string => `
  SELECT x.scope, b.dimension, date_trunc('month', c.day)::date AS month, b.key, c.action, sum(c.sign)::bigint AS count,
    ARRAY(SELECT coalesce(sum(d.sign), 0)::bigint FROM generate_series(1, 31) n
      LEFT JOIN unnest(array_agg(extract(day FROM c.day)::int), array_agg(c.sign)) d(day, sign) ON d.day = n GROUP BY n ORDER BY n) AS days
  FROM (SELECT c.*, c.created_at AT TIME ZONE 'UTC' AS day, ${scope('c.counts_as_public', fact('state'), fact('ownerOrganizationId'), fact('creatorId'))} AS scope,
        ${fact('ownerOrganizationId')} AS owner FROM (${from}) c CROSS JOIN LATERAL (SELECT ${FACTS} AS facts) f
      WHERE c.object_type = 'dataset' AND c.action IN (${EDITS.map((action) => `'${action}'`).join(', ')})) c
    CROSS JOIN LATERAL ${scopesOf('c.scope')} x(scope)
    CROSS JOIN LATERAL (VALUES ('all', ''), ('user', c.actor_id), ('organization', c.owner)) b(dimension, key)
  WHERE b.key IS NOT NULL GROUP BY 1, 2, 3, 4, 5`;
