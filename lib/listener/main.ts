import { limitsOfPlatform } from '../processes/platform.ts';
import { commonRows, kubernetesRows, type ListenerRow, processRows } from '../settings/listener.ts';
import { schemaOf } from '../settings/row.ts';
import { optionOf, variableOf } from '../settings/spelling.ts';
import { messageOf } from './backoff.ts';
import type { StartListener } from './listener.ts';
import { createLog, type Log } from './log.ts';
import { type ListenerOptions, OptionsError, readOptions } from './options.ts';

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

/** Markdown as a terminal shows it: without code marks and without references to pages. */
const plain = (markdown: string): string =>
  markdown.replaceAll(/\. See \[[^\][]{1,60}\]\([^()\s]{1,100}\)/g, '').replaceAll('`', '');

/** `SLIPWAY_AGENTS_PORT, default 4401`. */
function detailsOf(name: string, row: ListenerRow): string {
  const absent: unknown = schemaOf(row).safeParse(undefined).data;
  const shown = typeof absent === 'string' || typeof absent === 'number' ? String(absent) : undefined;
  const fallback = row.defaultShown === undefined ? shown : plain(row.defaultShown);
  return [
    ...(row.only === 'option' ? [] : [`${variableOf(name, row)}${row.value === undefined ? '=true' : ''}`]),
    ...(row.required !== undefined ? ['required'] : []),
    ...(fallback && row.required === undefined ? [`default ${fallback}`] : []),
  ].join(', ');
}

const linesOf = (rows: Readonly<Record<string, ListenerRow>>): string =>
  Object.entries(rows)
    .filter(([, { only }]) => only !== 'variable')
    .map(([name, row]) => {
      const details = detailsOf(name, row);
      const call = row.value === undefined ? optionOf(name) : `${optionOf(name)} ${row.value}`;
      return `  ${call}${details === '' ? '' : ` (${details})`}\n      ${plain(row.does)}`;
    })
    .join('\n');

/** What is printed below a message about wrong options. */
export const USAGE = `Usage: listener [options]

${linesOf(commonRows)}

Agents as processes of this machine:

${linesOf(processRows)}

Agents in a Kubernetes cluster (--driver kubernetes):

${linesOf(kubernetesRows)}

The API key is read from SLIPWAY_API_KEY: arguments can be seen by everybody on the machine.`;
