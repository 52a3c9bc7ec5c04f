/** @import { Lockfile } from './sets.mjs' */
import { existsSync, readdirSync, rmSync } from 'node:fs';

/** npm moves a package that it changes to such a folder, until it is done. */
const SET_ASIDE = /^\..+-[A-Za-z\d]{8}$/;

/**
 * Takes away what an install that did not end may have left half done: npm takes a package for whole whose
 * `package.json` is there. What was whole before it, in the version that is wanted now, it has not touched.
 *
 * @param {Lockfile} lockfile What is wanted.
 * @param {Lockfile} before What was there when that install began.
 * @param {string} installed npm's own list, which goes too: it looks for itself then.
 */
export function takeAwayTorn(lockfile, before, installed) {
  rmSync(installed, { force: true });
  for (const { place, isSetAside } of packagesBelow('node_modules')) {
    const wanted = lockfile.packages[place];
    const isWhole = wanted !== undefined && before.packages[place]?.version === wanted.version;
    if (isSetAside || !isWhole) rmSync(place, { recursive: true, force: true });
  }
}

/**
 * The folders of packages, each before those within it.
 *
 * @param {string} modules
 * @returns {{ place: string, isSetAside: boolean }[]}
 */
function packagesBelow(modules) {
  const names = existsSync(modules) ? readdirSync(modules) : [];
  return names.flatMap((name) => {
    const place = `${modules}/${name}`;
    if (name.startsWith('@')) return packagesBelow(place);
    if (name.startsWith('.')) return SET_ASIDE.test(name) ? [{ place, isSetAside: true }] : [];
    return [{ place, isSetAside: false }, ...packagesBelow(`${place}/node_modules`)];
  });
}
