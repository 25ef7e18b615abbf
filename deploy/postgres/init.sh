#!/bin/sh
# Creates the databases and roles of the catalog on a new PostgreSQL. Runs once, in the container of PostgreSQL.
# No role has a right on the database of another one, and the reader of the DataStore can change nothing.
# Elsewhere: POSTGRES_USER=postgres POSTGRES_PASSWORD=… CATALOG_PASSWORD=… READ_PASSWORD=… sh init.sh, as a superuser.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$CATALOG_PASSWORD" --set=read_password="$READ_PASSWORD" \
  --set=replication_password="$POSTGRES_PASSWORD" --username="$POSTGRES_USER" --dbname=postgres <<'SQL'
CREATE ROLE catalog_owner LOGIN PASSWORD :'password';
CREATE ROLE datastore_write LOGIN PASSWORD :'password';
CREATE ROLE datastore_read LOGIN PASSWORD :'read_password';
ALTER ROLE datastore_read SET default_transaction_read_only = on;
ALTER ROLE datastore_read SET temp_file_limit = '1GB';
CREATE ROLE replication LOGIN REPLICATION PASSWORD :'replication_password';
CREATE DATABASE catalog OWNER catalog_owner;
CREATE DATABASE datastore OWNER datastore_write;
REVOKE ALL ON DATABASE catalog, datastore, postgres, template1 FROM PUBLIC;
GRANT CONNECT ON DATABASE datastore TO datastore_read;
\connect datastore
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO datastore_write;
GRANT USAGE ON SCHEMA public TO datastore_read;
ALTER DEFAULT PRIVILEGES FOR ROLE datastore_write IN SCHEMA public GRANT SELECT ON TABLES TO datastore_read;
ALTER DEFAULT PRIVILEGES FOR ROLE datastore_write REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
SQL
if [ -f "${PGDATA:-/nowhere}/pg_hba.conf" ]; then
  echo 'host replication replication all scram-sha-256' >> "$PGDATA/pg_hba.conf"
fi
