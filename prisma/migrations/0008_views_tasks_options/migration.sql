-- Ways to show a resource. `fields` are those that the type of the view declares; `config` is the client's own.
CREATE TABLE resource_view (
  id text PRIMARY KEY,
  resource_id text NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
  position integer NOT NULL,
  type text NOT NULL,
  title text NOT NULL,
  description text,
  config jsonb,
  fields jsonb NOT NULL DEFAULT '{}',
  version integer NOT NULL DEFAULT 1
);
CREATE INDEX resource_view_resource ON resource_view (resource_id, position, id);
CREATE INDEX resource_view_type ON resource_view (type);

-- What jobs outside the catalog say of their work. The entity may be anything, also nothing of ours.
CREATE TABLE task_status (
  id text PRIMARY KEY,
  entity_id text NOT NULL,
  entity_type text NOT NULL,
  task_type text NOT NULL,
  key text NOT NULL,
  value text,
  state text,
  error text,
  updated_at timestamptz(6),
  UNIQUE (entity_id, task_type, key)
);

-- Settings that were changed at run time, as text. They win over file and environment.
CREATE TABLE site_option (
  name text PRIMARY KEY,
  value text NOT NULL,
  changed_at timestamptz(6) NOT NULL
);

-- Every process on this database hears of a change when it is committed; emptying the table is one too.
CREATE FUNCTION tell_site_options() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('site_option', '');
  RETURN NULL;
END
$$;
CREATE TRIGGER tell_site_options AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON site_option
  FOR EACH STATEMENT EXECUTE FUNCTION tell_site_options();
