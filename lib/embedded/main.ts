import { createLog } from '../listener/log.ts';
import { DataFolderUnusable } from '../processes/data-folder.ts';
import { ToolMissing } from '../processes/tools.ts';
import { banner } from './banner.ts';
import { OtherFormat } from './data-folder/format.ts';
import { AlreadyRunning } from './data-folder/lock.ts';
import { EnvironmentError, readEnvironment } from './environment.ts';
import { readFunctionLogs } from './log.ts';
import { OwnedByAnother } from './runtime/ownership.ts';
import { PortTaken } from './runtime/ports.ts';
import { startRuntime } from './runtime/start.ts';

/** Everything ends within 10 s of a signal; the warden ends what is left when this process goes. */
const STOP_MILLISECONDS_MAX = 9_700;

/**
 * Ctrl-C under `npm start` comes twice, from the terminal and once more from npm; a person who insists takes
 * longer.
 */
const SAME_SIGNAL_MILLISECONDS = 1_000;

type Write = (line: string) => void;

/** Resolves with the first signal; a second one ends the process at once. */
function stopRequested(write: Write): Promise<string> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => {
        const now = performance.now();
        if (firstAt !== undefined) {
          if (now - firstAt < SAME_SIGNAL_MILLISECONDS) return;
          write(`${name} again: stopping at once`);
          process.exit(1);
        }
        firstAt = now;
        setTimeout(() => process.exit(1), STOP_MILLISECONDS_MAX).unref();
        resolve(name);
      });
    }
  });
}

/** Their messages say all that a person needs. */
const EXPECTED = [
  EnvironmentError,
  DataFolderUnusable,
  AlreadyRunning,
  OtherFormat,
  OwnedByAnother,
  PortTaken,
  ToolMissing,
];

function explain(error: unknown): string {
  const isExpected = EXPECTED.some((kind) => error instanceof kind);
  if (isExpected || !(error instanceof Error)) return error instanceof Error ? error.message : String(error);
  return error.stack ?? error.message;
}

/**
 * Runs the embedded runtime until a signal comes. Answers the exit code: 0, or 1 when it could not start or
 * stop cleanly.
 */
export async function main(environment: NodeJS.ProcessEnv, write: Write, writeError: Write): Promise<number> {
  // A closed terminal takes its streams with it; that must not keep us from stopping what we started.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const requested = stopRequested(write);
  try {
    const settings = readEnvironment(environment);
    const log = createLog(settings.logLevel, write, 'slipway');
    readFunctionLogs(log);
    const runtime = await startRuntime({ settings, log, print: write, environment });
    write(banner(runtime, settings.dataFolder));
    log.info(`stopping: ${await requested}`);
    await runtime.stop();
    log.info('stopped');
    return 0;
  } catch (error) {
    writeError(explain(error));
    return 1;
  }
}
