-- What resource_search compares beside url, description and name, and what users are found by.
CREATE INDEX resource_kind_trgm ON resource USING gin (format gin_trgm_ops, hash gin_trgm_ops, mimetype gin_trgm_ops,
  mimetype_inner gin_trgm_ops, resource_type gin_trgm_ops, url_type gin_trgm_ops);
CREATE INDEX user_account_email_trgm ON user_account USING gin (email gin_trgm_ops);
