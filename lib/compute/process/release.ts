import { execLine } from '../../contract/shell-line.ts';
import { runCommand } from '../../processes/run-command.ts';
import { describeServerExit } from './readiness.ts';
import { ServerFailedError, type ServerOptions, sourceOf, wordsOf } from './server.ts';
import { serverEnvironment } from './server-environment.ts';
import { startOf } from './start-line.ts';

type ReleaseOptions = Pick<
  ServerOptions,
  'supervisor' | 'spec' | 'command' | 'masking' | 'signal' | 'say' | 'output'
>;

/** Migrations of large tables take minutes. */
const RELEASE_MILLISECONDS = 30 * 60_000;
/** While it runs, the log says so this often. */
const TOLD_MILLISECONDS = 10_000;

/**
 * Runs what a new version has to do before it serves, such as migrations, with all variables of its server.
 * The version before serves meanwhile. Throws `ServerFailedError`, which quotes its output, when it fails.
 */
export async function runRelease(
  options: ReleaseOptions,
  limitMilliseconds = RELEASE_MILLISECONDS,
): Promise<void> {
  const { supervisor, spec, command, signal, say } = options;
  if (command.release === undefined) return;
  say('Running the release line of the Procfile.');
  const begin = Date.now();
  const { variables: defaults = {}, fixedVariables: fixed = {} } = command;
  const start = startOf(command.release);
  // It listens nowhere: a shell finds PORT unset.
  const namesPort = /\bPORT\b/.test(command.release);
  const [program, ...args] = namesPort ? ['/bin/sh', '-c', execLine(command.release)] : wordsOf(start, 0);
  const output = options.output.open(sourceOf(options, []));
  const deadline = AbortSignal.timeout(limitMilliseconds);
  const told = setInterval(
    () => say(`The release line still runs after ${Math.round((Date.now() - begin) / 1000)} s.`),
    TOLD_MILLISECONDS,
  );
  const exit = await runCommand(
    supervisor,
    {
      command: program,
      args,
      cwd: command.cwd,
      environment: serverEnvironment(spec, undefined, command.toolFolders, { defaults, fixed }).variables,
      output,
    },
    AbortSignal.any([signal, deadline]),
  )
    .catch((error: unknown) => {
      if (signal.aborted || !deadline.aborted) throw error;
      const how = `was ended after ${limitMilliseconds / 1000} s, as it may take no longer`;
      throw new ServerFailedError(output.tail.after(failed(how)));
    })
    .finally(() => clearInterval(told));
  if (exit.code === 0) return say(`The release line ended well after ${Date.now() - begin} ms.`);
  throw new ServerFailedError(output.tail.after(failed(describeServerExit(exit))));
}

const failed = (how: string): string =>
  `The release line of the Procfile ${how}, so this revision does not serve.`;
