# Makes a clone ready for an npm script, in its folder: installs what package-lock.json names unless that was
# done since it last changed, and sees to it that `node` is Node 24 or newer. That is the one from package-
# lock.json, which npm scripts find first in node_modules/.bin; where none is published, or it does not run,
# the user's own counts.
installed=node_modules/.package-lock.json
ours=node_modules/.bin/node

if ! [ "$installed" -nt package-lock.json ]; then
  npm ci --include=dev --include=optional --ignore-scripts=false --no-audit --no-fund --loglevel=error || exit
fi

# npm 10 takes the link away again with the packages of the other platforms.
if ! [ -x "$ours" ]; then
  for node in node_modules/node-*/bin/node; do
    if "$node" --version >/dev/null 2>&1; then ln -sf "../${node#node_modules/}" "$ours"; fi
  done
fi

# npm scripts have it there already.
PATH="$PWD/node_modules/.bin:$PATH"
version=$(node --version 2>/dev/null) || {
  rm -f "$ours" # For another C library, say. It would come before the user's.
  version=$(node --version 2>/dev/null)
}
case $version in
  v2[4-9].* | v[3-9][0-9].* | v[1-9][0-9][0-9].*) ;;
  *)
    rm -f "$installed" # It may have been the network: the next run tries again.
    echo "Slipway needs Node.js 24 or newer: npm installed none that runs on this machine ($(uname -sm)), and yours is ${version:-missing}. Install one from https://nodejs.org, then run this again." >&2
    exit 1
    ;;
esac
