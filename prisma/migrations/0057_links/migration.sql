-- Checks of the links of resources (docs/decisions/0039).

-- One row per resource that links to another server, with the result of its last check. Null verdict: not checked yet.
CREATE TABLE resource_link (
  resource_id text PRIMARY KEY REFERENCES resource (id) ON DELETE CASCADE,
  url text NOT NULL,
  host text COLLATE "C",
  verdict text COLLATE "C" CHECK (verdict IN ('ok', 'moved', 'broken', 'forbidden', 'unknown')),
  http_status integer,
  reason text,
  final_url text,
  redirects integer NOT NULL DEFAULT 0,
  size bigint,
  media_type text,
  etag text,
  last_modified text,
  changed_at timestamptz(3),
  checked_at timestamptz(3),
  since timestamptz(3),
  last_ok_at timestamptz(3),
  first_failure_at timestamptz(3),
  failures integer NOT NULL DEFAULT 0,
  requested_at timestamptz(3),
  next_at timestamptz(3),
  is_indexed boolean NOT NULL DEFAULT true
);
CREATE INDEX resource_link_due ON resource_link (host, next_at);
CREATE INDEX resource_link_new ON resource_link (resource_id) WHERE next_at IS NULL;
CREATE INDEX resource_link_unindexed ON resource_link (resource_id) WHERE NOT is_indexed;
CREATE INDEX resource_link_worst ON resource_link (verdict, since, resource_id);

-- Changes of the result, newest 20 per resource.
CREATE TABLE resource_link_event (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  resource_id text NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
  url text NOT NULL,
  verdict text COLLATE "C" NOT NULL,
  http_status integer,
  reason text,
  final_url text,
  created_at timestamptz(3) NOT NULL
);
CREATE INDEX resource_link_event_resource ON resource_link_event (resource_id, number DESC);

-- Turns of hosts: one request at a time over all processes, and none before free_at. due_at: when one of its links is due.
CREATE TABLE link_host (
  host text COLLATE "C" PRIMARY KEY,
  free_at timestamptz(3) NOT NULL DEFAULT now(),
  due_at timestamptz(3),
  holder text,
  held_until timestamptz(3)
);
CREATE INDEX link_host_due ON link_host (due_at);

-- Rules of robots.txt by origin (scheme, host and port).
CREATE TABLE link_robots (
  origin text COLLATE "C" PRIMARY KEY,
  rules text NOT NULL,
  fetched_at timestamptz(3) NOT NULL
);
CREATE INDEX link_robots_age ON link_robots (fetched_at);

-- Whichever statement writes a resource, its link follows. Another address is another link: its result begins anew.
CREATE FUNCTION note_resource_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.state = 'active' AND NEW.url ~* '^https?://' AND coalesce(NEW.url_type, '') NOT IN ('upload', 'datastore') THEN
    INSERT INTO resource_link AS l (resource_id, url) VALUES (NEW.id, NEW.url)
    ON CONFLICT (resource_id) DO UPDATE SET url = EXCLUDED.url, host = NULL, verdict = NULL, http_status = NULL, reason = NULL,
      final_url = NULL, redirects = 0, size = NULL, media_type = NULL, etag = NULL, last_modified = NULL, changed_at = NULL,
      checked_at = NULL, since = NULL, last_ok_at = NULL, first_failure_at = NULL, failures = 0, requested_at = NULL, next_at = NULL
      WHERE l.url <> EXCLUDED.url;
  ELSIF TG_OP = 'UPDATE' THEN
    DELETE FROM resource_link WHERE resource_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER note_link AFTER INSERT ON resource FOR EACH ROW EXECUTE FUNCTION note_resource_link();
CREATE TRIGGER note_changed_link AFTER UPDATE OF url, url_type, state ON resource FOR EACH ROW
  WHEN (OLD.url <> NEW.url OR OLD.url_type IS DISTINCT FROM NEW.url_type OR OLD.state <> NEW.state)
  EXECUTE FUNCTION note_resource_link();

-- The statistics count links by verdict.
CREATE FUNCTION note_statistics_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO statistics_pending (kind, id) SELECT 'dataset', dataset_id FROM resource WHERE id = NEW.resource_id;
  RETURN NULL;
END $$;
CREATE TRIGGER note_statistics AFTER UPDATE OF verdict ON resource_link
  FOR EACH ROW WHEN (OLD.verdict IS DISTINCT FROM NEW.verdict) EXECUTE FUNCTION note_statistics_link();
CREATE TRIGGER note_statistics_new AFTER INSERT ON resource_link
  FOR EACH ROW WHEN (NEW.verdict IS NOT NULL) EXECUTE FUNCTION note_statistics_link();

-- Search filters by the verdicts of a dataset's links.
INSERT INTO search_value (field, value)
  SELECT 'link_status', v FROM unnest(ARRAY['broken', 'forbidden', 'moved', 'ok', 'unknown']) v ON CONFLICT DO NOTHING;

-- Existing links, which the first server spreads over time.
INSERT INTO resource_link (resource_id, url)
  SELECT id, url FROM resource WHERE state = 'active' AND url ~* '^https?://' AND coalesce(url_type, '') NOT IN ('upload', 'datastore');
