#!/bin/sh
# Brings Temporal's two databases to the schema of the installed tool. May run again: it changes only what is older.
# The connection comes from SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD.
set -eu

bring_up_to_date() {
  temporal-sql-tool --database "$1" create
  temporal-sql-tool --database "$1" setup-schema --version 0.0
  temporal-sql-tool --database "$1" update-schema --schema-name "$2"
}

bring_up_to_date temporal postgresql/v12/temporal
bring_up_to_date temporal_visibility postgresql/v12/visibility
