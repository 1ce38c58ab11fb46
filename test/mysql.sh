#!/usr/bin/env bash
# Usage (as root, on Debian): test/mysql.sh FOLDER
# Installs Debian's newest MySQL into a folder of its own: the server, FOLDER/mysqld, and its clients, FOLDER/mysql and
# FOLDER/mysqldump. Then: TEST_SERVER=FOLDER/mysqld npm test -- --selectProjects server
set -euo pipefail
[ $# = 1 ] || { sed -n 's/^# //p' "$0" >&2; exit 2; }
root=$(realpath -m "$1")

command -v debootstrap > /dev/null || {
  apt-get -qq update
  apt-get -qq install -y --no-install-recommends debootstrap
}
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -1)
[ -n "$mirror" ] || { echo "apt knows no mirror of Debian; run apt-get update first" >&2; exit 1; }
[ -x "$root/usr/sbin/mysqld" ] && [ -x "$root/usr/bin/mysqldump" ] ||
  debootstrap --variant=minbase --include=mysql-server-core,mysql-client-core sid "$root" "$mirror"

# Their own loader and libraries: those of this machine may be older.
libraries=$root/usr/lib/$(uname -m)-linux-gnu
loader=$libraries/$(basename "$(ls "$libraries"/ld-linux-*.so.* | head -1)")
for program in mysql mysqldump; do
  cat > "$root/$program" << SCRIPT
#!/bin/sh
exec "$loader" --library-path "$libraries" "$root/usr/bin/$program" "\$@"
SCRIPT
done
cat > "$root/mysqld" << SCRIPT
#!/bin/sh
first=\$1
[ \$# = 0 ] || shift
exec "$loader" --library-path "$libraries" "$root/usr/sbin/mysqld" \\
  "\$first" --basedir="$root/usr" --lc-messages-dir="$root/usr/share/mysql" --secure-file-priv=NULL --mysqlx=OFF "\$@"
SCRIPT
chmod +x "$root/mysqld" "$root/mysql" "$root/mysqldump"
"$root/mysqld" --no-defaults --version
