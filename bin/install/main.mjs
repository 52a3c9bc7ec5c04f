/** @import { PackageSet, Lockfile } from './sets.mjs' */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { placesOf, wordsOf } from './sets.mjs';
import { takeAwayTorn } from './torn.mjs';
import { takeTurn } from './turn.mjs';

/**
 * Installs sets of packages in the folder of a clone, on any Node from 20 on: `node bin/install/main.mjs run
 * node`. What earlier calls have installed stays. bin/setup.sh calls it when something is missing.
 */
const RECORD = 'node_modules/.slipway';
/** npm's own list of what is there, which it writes last. */
const INSTALLED = 'node_modules/.package-lock.json';
/** That list as it was, while an install runs and after one that did not end. */
const BEFORE = join(RECORD, 'before.json');
const WORDS = ['--no-save', '--include=optional', '--ignore-scripts=false', '--no-audit', '--no-fund'];
const QUIET = ['--loglevel=error', '--no-progress', '--no-update-notifier'];
const PROGRESS_MILLISECONDS = 500;
/** Without a terminal each line stays. */
const PLAIN_PROGRESS_MILLISECONDS = 5_000;

/** @type {Record<PackageSet, string>} */
const names = {
  run: 'what Slipway needs to run',
  all: 'what Slipway and its tests need',
  kubernetes: 'the client of Kubernetes',
  node: 'Node 24',
};

/** @type {PackageSet[]} */
const recorded = ['run', 'all', 'kubernetes'];

const isTerminal = process.stderr.isTTY;
/** Ends the line of progress that a terminal shows. */
const clear = () => isTerminal && process.stderr.write('\r\u001B[K');
/** @param {string} line */
const say = (line) => {
  clear();
  process.stderr.write(`${line}\n`);
};

/**
 * Written by npm, and copied from there.
 *
 * @param {string} file
 */
const read = (file) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a file of npm that is not as it should be ends this with an error
  /** @type {Lockfile} */ (JSON.parse(readFileSync(file, 'utf8')));

/** @param {readonly PackageSet[]} wanted */
async function install(wanted) {
  const lockfile = read('package-lock.json');
  const wasTorn = existsSync(BEFORE);
  const last = wasTorn ? BEFORE : INSTALLED;
  const installed = existsSync(last) ? read(last) : { packages: {} };
  const sets = setsFor(wanted, installed);
  if (wasTorn) takeAwayTorn(lockfile, installed, INSTALLED);
  const missingOf = (/** @type {readonly PackageSet[]} */ some) =>
    placesOf(lockfile, some, process).filter(
      (place) =>
        installed.packages[place]?.version !== lockfile.packages[place]?.version || !existsSync(place),
    );
  const missing = missingOf(sets);
  if (wasTorn || missing.length > 0) {
    if (!wasTorn) note(BEFORE, JSON.stringify(installed));
    const told = sets.filter((set) => missingOf([set]).length > 0);
    const what = (told.length === 0 ? sets : told).map((set) => names[set]).join(' and ');
    say(`Installing ${what}: ${missing.length} packages`);
    const code = await runNpm(sets, missing);
    if (code !== 0) return code;
    rmSync(BEFORE);
  }
  for (const set of sets) if (set !== 'node') note(join(RECORD, set), '');
  return 0;
}

/**
 * Whole, or not at all.
 *
 * @param {string} file
 * @param {string} text
 */
function note(file, text) {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/**
 * What is asked for, and what was asked for before: npm takes away what it is told to leave out.
 *
 * @param {readonly PackageSet[]} wanted
 * @param {Lockfile} installed
 */
function setsFor(wanted, { packages }) {
  const sets = new Set([...wanted, ...recorded.filter((set) => existsSync(join(RECORD, set)))]);
  // Of a clone that somebody has installed with npm by hand there is no record.
  if (Object.values(packages).some(({ dev }) => dev === true)) sets.add('all');
  if (packages['node_modules/@kubernetes/client-node'] !== undefined) sets.add('kubernetes');
  if (Object.keys(packages).some((place) => place.startsWith('node_modules/node-'))) sets.add('node');
  return sets.has('all') ? [...sets].filter((set) => set === 'all' || set === 'node') : [...sets];
}

/**
 * Resolves with its exit status.
 *
 * @param {readonly PackageSet[]} sets
 * @param {readonly string[]} missing
 */
async function runNpm(sets, missing) {
  const since = performance.now();
  const npm = spawn('npm', ['install', ...wordsOf(sets), ...WORDS, ...QUIET], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (npm.pid !== undefined) turn.share(npm.pid);
  npm.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
    clear();
    process.stderr.write(text);
  });
  const progress = showProgress(missing);
  const ended = await endOf(npm);
  clearInterval(progress);
  if (ended === 0) say(`Installed in ${Math.round((performance.now() - since) / 1000)} s`);
  else say('The packages are not all installed. The next start begins again with those that are missing.');
  return ended;
}

/** @param {readonly string[]} missing */
function showProgress(missing) {
  const show = () => {
    const there = missing.filter((place) => existsSync(join(place, 'package.json')));
    const line = `  ${there.length} of ${missing.length} packages`;
    process.stderr.write(isTerminal ? `\r\u001B[K${line}` : `${line}\n`);
  };
  return setInterval(show, isTerminal ? PROGRESS_MILLISECONDS : PLAIN_PROGRESS_MILLISECONDS);
}

/**
 * Resolves with its exit status. A signal to this process alone ends npm too.
 *
 * @param {import('node:child_process').ChildProcess} npm
 * @returns {Promise<number>}
 */
const endOf = (npm) =>
  new Promise((resolve) => {
    /** @type {number | undefined} */
    let stopped;
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
      process.once(signal, () => {
        stopped = 128 + constants.signals[signal];
        npm.kill(signal);
      });
    npm.once('error', (error) => {
      say(`npm cannot be started: ${error.message}`);
      resolve(1);
    });
    npm.once('close', (code) => resolve(stopped ?? code ?? 1));
  });

/** @type {PackageSet[]} */
const asked = [...recorded, /** @type {const} */ ('node')].filter((set) => process.argv.includes(set));
mkdirSync(RECORD, { recursive: true });
const turn = await takeTurn(RECORD, (processId) =>
  say(`Another npm script is installing packages in this folder (process ${processId}). Waiting for it.`),
);
try {
  process.exitCode = await install(asked);
} finally {
  turn.end();
}
