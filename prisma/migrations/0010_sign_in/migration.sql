-- Signing in. Of every secret only a keyed hash is kept.

-- Signed in with name and password. Ends when used_at is too long ago, and at expires_at in any case.
CREATE TABLE user_session (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
  secret_hash text NOT NULL UNIQUE,
  created_at timestamptz(6) NOT NULL,
  used_at timestamptz(6) NOT NULL,
  expires_at timestamptz(6) NOT NULL
);
CREATE INDEX user_session_user ON user_session (user_id);
CREATE INDEX user_session_expires ON user_session (expires_at);

-- Addresses from which a user has signed in: what others do at other addresses does not lock the user out there.
CREATE TABLE sign_in_place (
  user_id text NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
  address_hash text NOT NULL,
  used_at timestamptz(6) NOT NULL,
  PRIMARY KEY (user_id, address_hash)
);

-- How often something was tried since when. The key is a keyed hash: people type passwords into the field for the name.
CREATE TABLE attempt (
  key text PRIMARY KEY,
  tries integer NOT NULL,
  since timestamptz(6) NOT NULL
);
CREATE INDEX attempt_since ON attempt (since);

-- One-time keys that were mailed, to choose a password with.
CREATE TABLE password_key (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
  key_hash text NOT NULL UNIQUE,
  created_at timestamptz(6) NOT NULL,
  expires_at timestamptz(6) NOT NULL
);
CREATE INDEX password_key_user ON password_key (user_id);

-- Tokens for programs. A token may do less than its user, never more.
CREATE TABLE api_token (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
  name text NOT NULL,
  token_hash text NOT NULL UNIQUE,
  scope text NOT NULL CHECK (scope IN ('read', 'write', 'admin')),
  created_at timestamptz(6) NOT NULL,
  used_at timestamptz(6),
  expires_at timestamptz(6)
);
CREATE INDEX api_token_user ON api_token (user_id, created_at, id);
