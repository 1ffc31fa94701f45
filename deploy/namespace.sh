#!/bin/sh
# Makes the namespace with Pawl's retention and search attributes, or brings it up to them. May run again.
# Which one comes from TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE.
set -eu

# 90 days. Events are read from closed links too: after this time the beginning of a long run is gone.
retention=2160h

# The server's port is open before it serves, and its parts take a new namespace up one after the other, within seconds.
patiently() {
  attempts=30
  until "$@"; do
    attempts=$((attempts - 1))
    [ "$attempts" -gt 0 ] || return 1
    sleep 1
  done
}

patiently temporal operator cluster health

if temporal operator namespace describe >/dev/null 2>&1; then
  patiently temporal operator namespace update --retention "$retention"
else
  patiently temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$retention"
fi

while read -r name type; do
  patiently temporal operator search-attribute create --name "$name" --type "$type"
done <<'ATTRIBUTES'
PawlAgent Keyword
PawlStatus Keyword
PawlModel Keyword
PawlTenant Keyword
PawlTokens Int
PawlCostUsd Double
PawlWaiting Bool
ATTRIBUTES
