import { accessSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const RUN_PREFIX = 'slipway-tests-';
/** What a shell shows of a process that SIGHUP ended. */
const HANGUP_STATUS = 129;
const IN_MEMORY = '/dev/shm';
/** What a run writes takes some hundred megabytes at most. */
const NEEDED_BYTES = 2 * 1024 ** 3;

/**
 * A folder for all that a run writes, other programs' caches and leavings included: it is removed when this
 * process ends. For the process that runs the tests, which hands it to everybody else as TMPDIR.
 */
export function runFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, RUN_PREFIX));
  process.once('exit', () => remove(folder));
  // Vitest ends by itself on the other signals; a terminal that is closed would end this process without a
  // word.
  process.once('SIGHUP', () => process.exit(HANGUP_STATUS));
  return folder;
}

/**
 * What a killed program had started is ended by its warden, which looks for half a second, and may write
 * until then.
 */
const LAST_WRITES_MILLISECONDS = 1_500;
const LOOK_MILLISECONDS = 100;
/** The process that runs the tests, for those that it has started. */
const runner = process.ppid;

/**
 * For a process that runs tests and is to end, maybe because it has lost the one that would remove the
 * folder: nothing else goes on meanwhile. While that one is there the folder stays: other tests are in it.
 */
export function removeLostRunFolder(): void {
  const folder = tmpdir();
  if (!basename(folder).startsWith(RUN_PREFIX)) return;
  const nobody = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  for (let passed = 0; passed <= LAST_WRITES_MILLISECONDS; passed += LOOK_MILLISECONDS) {
    try {
      if (process.ppid !== runner) rmSync(folder, { recursive: true, force: true });
    } catch {
      // Something was just being written.
    }
    Atomics.wait(nobody, 0, 0, LOOK_MILLISECONDS);
  }
}

/** Programs that are just ending may still write into it. */
const remove = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });

/**
 * Where files are kept in memory if there is room, and if programs may be run from there: nothing of a test
 * has to outlive the machine.
 */
export function quickFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize > NEEDED_BYTES && mayRunFrom(IN_MEMORY) ? IN_MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Containers often mount it so that nothing in it can be run, which only asking for a real file tells. */
function mayRunFrom(folder: string): boolean {
  const own = mkdtempSync(join(folder, 'slipway-test-'));
  try {
    const file = join(own, 'program');
    writeFileSync(file, '', { mode: 0o700 });
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(own, { recursive: true });
  }
}
