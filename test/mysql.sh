#!/usr/bin/env bash
# Usage (as root, on Debian): test/mysql.sh FOLDER
# Installs Debian's newest MySQL server into a folder of its own, and writes FOLDER/mysqld, which starts it from there.
# Then: TEST_SERVER=FOLDER/mysqld npm test -- --selectProjects mariadb
set -euo pipefail
[ $# = 1 ] || { sed -n 's/^# //p' "$0" >&2; exit 2; }
root=$(realpath -m "$1")

command -v debootstrap > /dev/null || {
  apt-get -qq update
  apt-get -qq install -y --no-install-recommends debootstrap
}
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -1)
[ -n "$mirror" ] || { echo "apt knows no mirror of Debian; run apt-get update first" >&2; exit 1; }
[ -x "$root/usr/sbin/mysqld" ] || debootstrap --variant=minbase --include=mysql-server-core sid "$root" "$mirror"

# Its own loader and libraries: those of this machine may be older.
libraries=$root/usr/lib/$(uname -m)-linux-gnu
cat > "$root/mysqld" << SCRIPT
#!/bin/sh
first=\$1
[ \$# = 0 ] || shift
exec "$libraries/$(basename "$(ls "$libraries"/ld-linux-*.so.* | head -1)")" --library-path "$libraries" "$root/usr/sbin/mysqld" \\
  "\$first" --basedir="$root/usr" --lc-messages-dir="$root/usr/share/mysql" --secure-file-priv=NULL --mysqlx=OFF "\$@"
SCRIPT
chmod +x "$root/mysqld"
"$root/mysqld" --no-defaults --version
