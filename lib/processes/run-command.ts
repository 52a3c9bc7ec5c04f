import type { GroupCommand, GroupExit } from './group.ts';
import type { ProcessSupervisor } from './supervisor.ts';

/** The part of a process supervisor that running commands needs. */
export type Processes = Pick<ProcessSupervisor, 'start' | 'stop' | 'stopKnown'>;

/**
 * Well-behaved tools end within milliseconds of a SIGTERM, and an interrupt has to be over in two seconds.
 */
const STOP_GRACE_MILLISECONDS = 500;

/**
 * Runs a command to its end, in a process group of its own. Whatever it left running is ended too, unless it
 * is `known` to leave nothing but what should stay, as git does (its credential daemon). When `signal`
 * aborts, the whole group is ended and the signal's reason thrown, after nothing of it is alive.
 */
export async function runCommand(
  processes: Processes,
  command: GroupCommand,
  signal: AbortSignal,
  { known = false }: { known?: boolean } = {},
): Promise<GroupExit> {
  signal.throwIfAborted();
  const group = processes.start(command);
  const aborted = Promise.withResolvers<void>();
  const onAbort = () => aborted.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  await Promise.race([group.exited, aborted.promise]);
  signal.removeEventListener('abort', onAbort);
  const stop = known && !signal.aborted ? processes.stopKnown : processes.stop;
  await stop.call(processes, group, STOP_GRACE_MILLISECONDS);
  const exit = await group.exited;
  signal.throwIfAborted();
  return exit;
}

/** How a command ended, in words: `exited with code 1`, `was ended by SIGKILL`, `could not be started: …`. */
export function describeExit(exit: GroupExit): string {
  if (exit.error !== undefined) return `could not be started: ${exit.error}`;
  return exit.signal === null ? `exited with code ${exit.code}` : `was ended by ${exit.signal}`;
}
