#!/usr/bin/env bash
# Usage: npm run test:long
# Runs the tests that repeat something at random or in masses with their long sizes, and those of SQLite with the newest
# Node.js, on the last commit.
set -uo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

LONG_ROUNDS=1 node test/run.mjs full $(grep -rlE 'support/sizes' test/e2e test/full/e2e test/full/engine src) \
  --selectProjects unit sqlite server full-sqlite full-server second-server
long=$?
test/node.sh 26 "$folder" --selectProjects unit sqlite full-sqlite
newest=$?
[ $long -eq 0 ] || echo 'A test failed in its long round: see above.'
exit $((long || newest))
