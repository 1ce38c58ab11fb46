#!/usr/bin/env bash
# Usage (on Linux): test/node.sh VERSION FOLDER [parameters of npm test]
# Runs the tests of the last commit with another Node.js, like 22 or 24: both are put into a folder of their own.
set -euo pipefail
[ $# -ge 2 ] || { sed -n 's/^# //p' "$0" >&2; exit 2; }
version=$1
folder=$(realpath -m "$2")
shift 2
repository=$(realpath "$(dirname "$0")/..")

mkdir -p "$folder/node"
[[ $("$folder/node/bin/node" --version 2>/dev/null) == "v$version"[.]* ]] || {
  processor=$(node -p process.arch)
  archive=$(cd "$folder" && npm pack --silent "node-linux-$processor@$version")
  tar xzf "$folder/$archive" -C "$folder/node" --strip-components=1
  rm "$folder/$archive"
}
[ -d "$folder/milepost" ] || git clone -q "$repository" "$folder/milepost"
cd "$folder/milepost"
git fetch -q origin HEAD
git checkout -q FETCH_HEAD

export PATH=$folder/node/bin:$PATH
export npm_package_config_node_gyp_nodedir=$folder/node
node --version
npm ci
case " $* " in *full*) npm ci --prefix test/clickhouse ;; esac
npm test -- "$@"
