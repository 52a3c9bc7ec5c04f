import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Whoever has the turn shows it this often, and after this long without has lost it: a machine may have slept. */
const SHOWN_MILLISECONDS = 5_000;
const LOST_MILLISECONDS = 60_000;
const ASKED_MILLISECONDS = 200;
const ENDED = 'ended';

/**
 * Waits until nobody else has the turn in this folder, and takes it. A turn is a numbered file that names the
 * processes that work on it. The highest number counts, and stays there once its turn is over: whoever made
 * the next one on an old look finds a higher one beside it, and steps back.
 *
 * @param {string} folder
 * @param {(processId: string) => void} onWait Called once, with whoever has it.
 */
export async function takeTurn(folder, onWait) {
  for (let hasWaited = false; ; ) {
    const last = highest(folder);
    const holder = last === 0 ? undefined : holderOf(fileOf(folder, last));
    if (holder !== undefined) {
      if (!hasWaited) onWait(holder);
      hasWaited = true;
      await pause(ASKED_MILLISECONDS);
    } else if (isTaken(folder, last + 1)) return turn(folder, last + 1);
  }
}

/** @type {(folder: string, number: number) => string} */
const fileOf = (folder, number) => join(folder, `turn-${number}`);

/** @type {(folder: string) => number[]} */
const numbersIn = (folder) =>
  readdirSync(folder).flatMap((name) =>
    name.startsWith('turn-') ? [Number(name.slice('turn-'.length))] : [],
  );

/** @type {(folder: string) => number} */
const highest = (folder) => Math.max(0, ...numbersIn(folder));

/**
 * The process that has this turn; undefined where it is over.
 *
 * @param {string} file
 */
function holderOf(file) {
  try {
    const text = readFileSync(file, 'utf8');
    if (text === ENDED || Date.now() - statSync(file).mtimeMs > LOST_MILLISECONDS) return undefined;
    // Between its making and its first words it is empty.
    return text === '' ? '?' : text.split(' ').find(isAlive);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** @param {unknown} error */
const codeOf = (error) => (error instanceof Error && 'code' in error ? error.code : undefined);

/** @param {string} processId */
function isAlive(processId) {
  try {
    process.kill(Number(processId), 0);
    return !hasEnded(processId);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * Whether it is one that has ended and that its parent has not asked after, as nobody may ever do in a
 * container. Only Linux tells.
 *
 * @param {string} processId
 */
function hasEnded(processId) {
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, 'utf8');
    return stat.startsWith('Z', stat.lastIndexOf(')') + 2);
  } catch {
    return false;
  }
}

/**
 * @param {string} folder
 * @param {number} number
 */
function isTaken(folder, number) {
  const file = fileOf(folder, number);
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  if (highest(folder) === number) return true;
  rmSync(file, { force: true });
  return false;
}

/**
 * @param {string} folder
 * @param {number} number
 */
function turn(folder, number) {
  const file = fileOf(folder, number);
  for (const older of numbersIn(folder)) if (older < number) rmSync(fileOf(folder, older), { force: true });
  const shown = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(file, now, now);
    } catch {
      // Somebody has taken all of `node_modules` away: npm will say what it thinks of that.
    }
  }, SHOWN_MILLISECONDS);
  shown.unref();
  return {
    /** @param {number} processId Of a process as long as which it lasts, too. */
    share: (processId) => writeFileSync(file, `${process.pid} ${processId}`),
    end: () => {
      clearInterval(shown);
      writeFileSync(file, ENDED);
    },
  };
}
