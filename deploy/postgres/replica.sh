#!/bin/sh
# Starts a streaming replica. It copies the primary when its folder is empty.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  until PGPASSWORD="$POSTGRES_PASSWORD" pg_basebackup --host=postgres --username=replication --pgdata="$PGDATA" \
    --wal-method=stream --write-recovery-conf --checkpoint=fast; do
    rm -rf "${PGDATA:?}"/*
    sleep 2
  done
  chmod 700 "$PGDATA"
fi
# At least the primary's max_connections, or a standby does not start.
exec postgres -c hot_standby=on -c hot_standby_feedback=on -c max_connections=200
