-- The log as readers follow it (docs/decisions/0016). A change gets its place after its commit, by whoever reads next, one process
-- at a time: places are in the order in which changes can be seen, so a reader that has been told one place misses none before it.
-- `readers` are the facts that decide who may read the object as the change left it; `readers_before` the facts of its place before,
-- where they were others (JSON null: nobody could).
ALTER TABLE change
  ADD COLUMN position bigint,
  ADD COLUMN readers jsonb,
  ADD COLUMN readers_before jsonb;
CREATE UNIQUE INDEX change_position ON change (position) WHERE position IS NOT NULL;
CREATE INDEX change_unplaced ON change (sequence) WHERE position IS NULL;
CREATE INDEX change_object_position ON change (object_type, object_id, position) WHERE position IS NOT NULL;
