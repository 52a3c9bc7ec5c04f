import { limitsOfPlatform } from '../processes/platform.ts';
import { messageOf } from './backoff.ts';
import { startListener } from './listener.ts';
import { createLog, type Log } from './log.ts';
import { type ListenerOptions, OptionsError, readOptions, USAGE } from './options.ts';

/** Resolves, with the reason, when the listener is to stop. */
function stopRequested(options: ListenerOptions): Promise<string> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => resolve(name));
    if (!options.parentPipe) return;
    process.stdin.resume();
    process.stdin.once('close', () => resolve('its parent is gone'));
    process.stdin.once('end', () => resolve('its parent is gone'));
  });
}

async function run(options: ListenerOptions, log: Log): Promise<void> {
  const requested = stopRequested(options);
  // A parent has said so already.
  for (const limit of limitsOfPlatform()) if (!options.parentPipe) log.warn(limit);
  const listener = await startListener(options, log);
  log.info(`stopping: ${await requested}`);
  await listener.stop();
  log.info('stopped');
}

/**
 * Runs the listener until it is told to stop. Answers the exit code: 0, 1 after a failure, 2 for wrong
 * options.
 */
export async function main(args: string[], environment: NodeJS.ProcessEnv): Promise<number> {
  try {
    const options = readOptions(args, environment);
    await run(options, createLog(options.logLevel));
    return 0;
  } catch (error) {
    console.error(error instanceof OptionsError ? `${error.message}\n\n${USAGE}` : messageOf(error));
    return error instanceof OptionsError ? 2 : 1;
  }
}
