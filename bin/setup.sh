# Makes a clone ready for an npm script, in its folder: `sh bin/setup.sh run|all|kubernetes`. It sees to it
# that the packages of that set are there, in the versions of package-lock.json, and that `node` is Node 24
# or newer: the user's own, else the one from package-lock.json, which npm scripts find first in
# node_modules/.bin. A second start looks at a few files and runs nothing but `node --version`.
wanted=${1:-all}
record=node_modules/.slipway # bin/install/main.mjs keeps a file for each set there.
installed=node_modules/.package-lock.json
ours=node_modules/.bin/node

# Installed since package-lock.json last changed, and nobody has used npm by hand since.
has() {
  [ "$record/$1" -nt package-lock.json ] && ! [ "$installed" -nt "$record/$1" ]
}

# npm 10 takes the link away again with the packages of the other platforms.
link() {
  if ! [ -x "$ours" ]; then
    for node in node_modules/node-*/bin/node; do
      if "$node" --version >/dev/null 2>&1; then ln -sf "../${node#node_modules/}" "$ours"; fi
    done
  fi
}

is_new_enough() {
  version=$(node --version 2>/dev/null) || {
    rm -f "$ours" # For another C library, say. It would come before the user's.
    version=$(node --version 2>/dev/null)
  }
  case $version in
    v2[4-9].* | v[3-9][0-9].* | v[1-9][0-9][0-9].*) ;;
    *) false ;;
  esac
}

# npm scripts have it there already.
PATH="$PWD/node_modules/.bin:$PATH"
missing=
has all || has "$wanted" || missing=$wanted
link
is_new_enough || missing="$missing node"
[ -n "$missing" ] || exit 0
if [ -n "$version" ]; then
  # A word for each set.
  node bin/install/main.mjs $missing || exit
  hash -r # This shell would go on with the one that it has found before.
  link
fi
is_new_enough || {
  echo "Slipway needs Node.js 24 or newer: npm installed none that runs on this machine ($(uname -sm)), and yours is ${version:-missing}. Install one from https://nodejs.org, then run this again." >&2
  exit 1
}
