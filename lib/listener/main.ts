import { limitsOfPlatform } from '../processes/platform.ts';
import { messageOf } from './backoff.ts';
import type { StartListener } from './listener.ts';
import { createLog, type Log } from './log.ts';
import { type ListenerOptions, OptionsError, readOptions } from './options.ts';
import { USAGE } from './usage.ts';

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

/** Gives the exit code: 1 when it had to end by itself, and is to be started again. */
async function run(options: ListenerOptions, log: Log, start: StartListener): Promise<number> {
  const requested = stopRequested(options);
  // A parent has said so already.
  if (options.driver === 'process' && !options.parentPipe)
    for (const limit of limitsOfPlatform()) log.warn(limit);
  const listener = await start(options, log);
  const lost = listener.ended.then((why) => ({ why, isFailure: true }));
  const { why, isFailure } = await Promise.race([
    requested.then((name) => ({ why: name, isFailure: false })),
    lost,
  ]);
  log.info(`stopping: ${why}`);
  await listener.stop();
  log.info('stopped');
  return isFailure ? 1 : 0;
}

/**
 * Runs the listener until it is told to stop. Answers the exit code: 0, 1 after a failure, 2 for wrong
 * options.
 */
export async function main(
  args: string[],
  environment: NodeJS.ProcessEnv,
  start: StartListener,
): Promise<number> {
  try {
    const options = readOptions(args, environment);
    return await run(options, createLog(options.logLevel), start);
  } catch (error) {
    console.error(error instanceof OptionsError ? `${error.message}\n\n${USAGE}` : messageOf(error));
    return error instanceof OptionsError ? 2 : 1;
  }
}
