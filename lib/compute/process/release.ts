import { runCommand } from '../../processes/run-command.ts';
import { OutputTail } from './output-tail.ts';
import { describeServerExit } from './readiness.ts';
import { collect, RAW_LINE_BYTES_MAX, ServerFailedError, type ServerOptions, wordsOf } from './server.ts';
import { serverEnvironment } from './server-environment.ts';

type ReleaseOptions = Pick<
  ServerOptions,
  'supervisor' | 'spec' | 'command' | 'mask' | 'signal' | 'say' | 'onLine'
>;

/**
 * Runs what a new version has to do before it serves, such as migrations, with all variables of its server.
 * The version before serves meanwhile. Throws `ServerFailedError`, which quotes its output, when it fails.
 */
export async function runRelease(options: ReleaseOptions): Promise<void> {
  const { supervisor, spec, command, signal, say } = options;
  if (command.release === undefined) return;
  say('Running the release line of the Procfile.');
  const begin = Date.now();
  const { variables: defaults = {}, fixedVariables: fixed = {} } = command;
  const [program, ...args] = wordsOf(command.release, 0);
  const tail = new OutputTail();
  const exit = await runCommand(
    supervisor,
    {
      command: program,
      args,
      cwd: command.cwd,
      environment: serverEnvironment(spec, undefined, command.toolFolders, { defaults, fixed }).variables,
      onLine: collect(options, tail),
      lineBytesMax: RAW_LINE_BYTES_MAX,
    },
    signal,
  );
  if (exit.code === 0) return say(`The release line ended well after ${Date.now() - begin} ms.`);
  const how = describeServerExit(exit);
  throw new ServerFailedError(
    tail.after(`The release line of the Procfile ${how}, so this revision does not serve.`),
  );
}
