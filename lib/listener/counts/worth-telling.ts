import type { MinuteCounts } from '../../contract/deployments/counts.ts';

/** A server that only waits uses less than this, in cores. */
const BUSY_CORES = 0.1;
/** Memory of a server that only waits moves by less than this: a tenth, or so many bytes. */
const MEMORY_SHARE = 0.1;
const MEMORY_BYTES = 16 * 1024 * 1024;

/**
 * Whether anything happened in a minute. Each one that is told is stored, so a server that only waits is not
 * told of again and again. `last`: what was told last; undefined: nothing yet.
 */
export function isWorthTelling(counts: MinuteCounts, last: MinuteCounts | undefined): boolean {
  return hasEvents(counts) || isChanged(counts, last ?? {}) || isBusy(counts) || isBusy(last ?? {});
}

const hasEvents = ({ requests, bytes_in, bytes_out, restarts, runs }: MinuteCounts): boolean =>
  some(
    requests?.all,
    requests?.failed,
    bytes_in,
    bytes_out,
    restarts?.length,
    runs?.begun,
    runs?.succeeded,
    runs?.failed,
  );

const some = (...counts: (number | undefined)[]): boolean => counts.some((count = 0) => count > 0);

/** What is there at a moment differs from what was told. */
function isChanged(counts: MinuteCounts, last: MinuteCounts): boolean {
  const states = ({ streams, in_flight, servers_wanted, servers_ready, runs }: MinuteCounts) => [
    streams ?? 0,
    in_flight ?? 0,
    servers_wanted ?? 0,
    servers_ready ?? 0,
    runs?.waiting ?? 0,
  ];
  const before = states(last);
  if (states(counts).some((state, index) => state !== before[index])) return true;
  const [now = 0, told = 0] = [counts.memory_bytes, last.memory_bytes];
  return Math.abs(now - told) > Math.max(MEMORY_BYTES, told * MEMORY_SHARE);
}

const isBusy = ({ cpu_cores = 0 }: MinuteCounts): boolean => cpu_cores >= BUSY_CORES;
