#!/usr/bin/env bash
# Usage (on Linux, as root): test/prove.sh FOLDER
# Shows that no test fails by chance: runs `npm test` and `npm run test:full` on a clone of the last commit, alone, beside
# busy loops, in another zone and as a user without rights. Each run adds a line to FOLDER/results. Where it was
# interrupted, it goes on with the first run that has no line.
set -uo pipefail
[ $# -eq 1 ] || { sed -n 's/^# //p' "$0" >&2; exit 2; }
folder=$(realpath -m "$1")
repository=$(realpath "$(dirname "$0")/..")
commit=$(git -C "$repository" rev-parse --short HEAD)
clone=$folder/$commit
results=$folder/results
user=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$folder/home" TMPDIR="$folder/temporary")

mkdir -p "$folder"
[ -d "$clone/node_modules" ] || {
  rm -rf "$clone"
  git clone -q "$repository" "$clone" && (cd "$clone" && npm ci)
} || exit 1

busy=()
end_busy() {
  [ ${#busy[@]} -eq 0 ] || kill "${busy[@]}" 2>/dev/null
  busy=()
}
trap end_busy EXIT

# Parameters: a name, the number of busy loops, a command.
run() {
  local name=$1 loops=$2 since=$SECONDS log
  shift 2
  grep -q "^$commit $name " "$results" 2>/dev/null && return
  log=$folder/$commit-${name//[^a-z0-9]/-}.log
  for ((loop = 0; loop < loops; loop++)); do
    while :; do :; done &
    busy+=($!)
  done
  (cd "$clone" && "$@") >"$log" 2>&1 </dev/null
  local status=$?
  end_busy
  echo "$commit $name $(date +%FT%T) $((SECONDS - since)) s, exit $status: $(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1), $(grep -c '^LEFT OUT' "$log") parts left out" |
    tee -a "$results"
}

run small 0 npm test
run small-busy-1 3 npm test
run small-busy-2 3 npm test
run small-zone 0 env TZ=Asia/Kathmandu npm test
mkdir -p "$folder/home" "$folder/temporary"
chown -R 65534:65534 "$folder/home" "$folder/temporary" "$clone"
run small-user 0 "${user[@]}" npm test
chown -R 0:0 "$clone"
run full 0 npm run -s test:full
run full-busy 2 npm run -s test:full
! grep "^$commit " "$results" | grep -qv ', exit 0:'
