#!/bin/sh
# Runs inside an image build: run.sh install | build | seal. /slipway is this builder's folder, /slipway-build the source.
set -eu

DEV_SERVER=@langchain/langgraph-cli@1.4.5
SERVER_FOLDER=.slipway-agent-server
project="/slipway-build/$(cat /slipway/project)"
language="$(cat /slipway/language)"
cd -- "$project"
export CI=1 NO_COLOR=1 npm_config_loglevel=warn npm_config_fund=false npm_config_audit=false npm_config_update_notifier=false

# The exact version in `packageManager`, such as pnpm@10.1.0, if it names this tool.
named_version() {
  node -p '(/^'"$1"'@(\d+\.\d+\.\d+(?:-[\w.]+)?)(?:\+|$)/.exec(require("./package.json").packageManager ?? "") ?? [])[1] ?? ""'
}

# Whether package.json gives something true for an expression on it.
says() {
  [ -f package.json ] && [ "$(node -p "const it = require('./package.json'); Boolean($1)")" = true ]
}

manager() {
  if [ -f package-lock.json ] || [ -f npm-shrinkwrap.json ]; then
    echo npm
  elif [ -f pnpm-lock.yaml ]; then
    echo pnpm
  elif [ -f yarn.lock ]; then
    if [ -f .yarnrc.yml ]; then echo yarn; else echo yarn-classic; fi
  else
    echo npm
  fi
}

use_pnpm() {
  version="$(named_version pnpm)"
  npx --yes "pnpm@${version:-10}" "$@"
}

use_yarn() {
  version="$(named_version yarn)"
  case "$(manager) $version" in
    yarn-classic' ' | *' '[01].*) npx --yes "yarn@${version:-1}" "$@" ;;
    *) npx --yes --package="@yarnpkg/cli-dist@${version:-4}" yarn "$@" ;;
  esac
}

# A lockfile that does not fit package.json is passed over; anything else that goes wrong must be seen.
npm_ci() {
  status=0
  npm ci 2>/tmp/npm.log || status=$?
  cat /tmp/npm.log >&2
  if [ "$status" -ne 0 ] && grep -qE 'npm (error|ERR!) code EUSAGE' /tmp/npm.log; then
    echo 'package-lock.json does not fit package.json, so `npm install` is used instead of `npm ci`'
    npm install
  else
    return "$status"
  fi
}

install_packages() {
  [ -f package.json ] || return 0
  case "$(manager)" in
    pnpm) use_pnpm install --frozen-lockfile ;;
    yarn) use_yarn install --immutable ;;
    yarn-classic) use_yarn install --frozen-lockfile ;;
    npm)
      if [ -f package-lock.json ] || [ -f npm-shrinkwrap.json ]; then
        npm_ci
      elif says 'Object.keys({...it.dependencies, ...it.devDependencies, ...it.optionalDependencies}).length || it.workspaces'; then
        npm install
      fi
      ;;
  esac
}

# An agent gets the server that runs its graphs if it brings none, in its own folder or one above. It comes by npm in a folder of its
# own, so that the dependencies of the project and their lockfile stay as they are.
add_dev_server() {
  at="$project"
  while [ "$at" != / ]; do
    [ ! -e "$at/node_modules/.bin/langgraphjs" ] || return 0
    at="$(dirname -- "$at")"
  done
  echo "The project does not bring ${DEV_SERVER%@*}, which runs its graphs: adding $DEV_SERVER in $SERVER_FOLDER"
  rm -rf "/slipway-build/$SERVER_FOLDER"
  mkdir "/slipway-build/$SERVER_FOLDER"
  echo '{"private": true}' >"/slipway-build/$SERVER_FOLDER/package.json"
  (cd "/slipway-build/$SERVER_FOLDER" && npm install --no-save --no-package-lock "$DEV_SERVER")
}

use_python() {
  export VIRTUAL_ENV="$project/.venv" UV_PROJECT_ENVIRONMENT="$project/.venv" PATH="$project/.venv/bin:$PATH"
  export UV_LINK_MODE=copy UV_COMPILE_BYTECODE=1 UV_NO_PROGRESS=1 UV_PYTHON_DOWNLOADS=never UV_NO_CACHE=1
}

do_install() {
  if [ "$language" = python ]; then
    rm -rf .venv
    uv venv --python "$(command -v python3)" .venv
    use_python
    if [ -s /slipway/install-command ]; then
      sh /slipway/install-command
    else
      python3 /slipway/python_project.py dependencies
    fi
    python3 /slipway/python_project.py server
  else
    if [ -s /slipway/install-command ]; then
      sh /slipway/install-command
    else
      install_packages
    fi
    [ "$language" != javascript ] || add_dev_server
  fi
}

do_build() {
  [ "$language" != python ] || use_python
  if [ -s /slipway/build-command ]; then
    sh /slipway/build-command
  elif says 'it.scripts?.build'; then
    if [ "$language" = plain ]; then
      npm run build
    else
      echo 'The `build` script of package.json was not run, since an agent server runs the sources; to run it, set build_command to "npm run build"'
    fi
  fi
}

# What is deployed carries no history. A server is started by one name, whatever the folder is called.
do_seal() {
  rm -rf /slipway-build/.git
  ln -s "$project" /slipway-project
  [ "$language" != python ] || python3 /slipway/python_project.py seal
}

"do_$1"
