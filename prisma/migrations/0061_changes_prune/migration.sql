-- `catalog changes prune` removes old changes. What later changes and statistics need of them stays here.

-- Who could read an object after its last pruned change: a later change tells former readers that it is gone.
CREATE TABLE pruned_reader (
  object_type text NOT NULL,
  object_id text NOT NULL,
  readers jsonb NOT NULL,
  PRIMARY KEY (object_type, object_id)
);

-- Numbers of pruned changes, part of statistics_month.
CREATE TABLE pruned_month (
  scope text COLLATE "C" NOT NULL,
  dimension text COLLATE "C" NOT NULL,
  month date NOT NULL,
  key text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  days bigint[] NOT NULL,
  PRIMARY KEY (scope, dimension, month, key, action)
);
