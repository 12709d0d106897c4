#!/bin/sh
# Makes the servers of SERVERS, the coordinator first, one database that Citus spreads. Nothing changes when it runs again.
set -eu
export PGUSER="$POSTGRES_USER" PGPASSWORD="$POSTGRES_PASSWORD" PGDATABASE="$POSTGRES_DB"
coordinator=${SERVERS%% *}
secret="password='$(printf %s "$PGPASSWORD" | sed "s/[\\\\']/\\\\&/g")'"

# At the server HOST:PORT. What psql reads knows :'host', :port and the password by which servers sign in to each other.
at() {
  server=$1
  shift
  psql --no-psqlrc --quiet --no-align --tuples-only --set ON_ERROR_STOP=1 --host "${server%:*}" --port "${server##*:}" "$@"
}

for server in $SERVERS; do
  at "$server" --set secret="$secret" --set own="$PGUSER" << 'SQL'
CREATE EXTENSION IF NOT EXISTS citus;
INSERT INTO pg_dist_authinfo VALUES (0, :'own', :'secret') ON CONFLICT (nodeid, rolename) DO UPDATE SET authinfo = excluded.authinfo;
SQL
done
at "$coordinator" --set host="${coordinator%:*}" --set port="${coordinator##*:}" << 'SQL'
SELECT citus_set_coordinator_host(:'host', :port);
SQL
for server in $SERVERS; do
  [ "$server" = "$coordinator" ] || at "$coordinator" --set host="${server%:*}" --set port="${server##*:}" << 'SQL'
SELECT citus_add_node(:'host', :port);
SQL
done
