import type { Site } from '../../builds/execute.ts';
import { childEnvironment } from '../../processes/environment.ts';
import type { OutputLine } from '../../processes/output.ts';
import { describeExit, type Processes, runCommand } from '../../processes/run-command.ts';
import type { BuildLog } from './build-log.ts';

export type SiteOptions = {
  processes: Processes;
  log: BuildLog;
  signal: AbortSignal;
  /** The source, an absolute path without links. */
  root: string;
  environment: Record<string, string>;
};

/**
 * The environment of install and build commands: none of ours beyond the allow-list, no prompts, no colours,
 * no notices. `ceilingFolder`: git must not take a repository that the work folder happens to lie in for the
 * project's.
 */
export function buildEnvironment(ceilingFolder: string): Record<string, string> {
  return childEnvironment({
    GIT_CEILING_DIRECTORIES: ceilingFolder,
    GIT_TERMINAL_PROMPT: '0',
    NO_COLOR: '1',
    // Projects whose own scripts call corepack must not wait for an answer.
    COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  });
}

/** Carries out plans on this machine, each command in a process group of its own. */
export function createSite({ processes, log, signal, root, environment }: SiteOptions): Site {
  return {
    root,
    environment,
    say: (text, level) => log.say(text, level),
    async run({ name, line, onLine, ...where }) {
      log.startTail();
      log.say(`Running ${name} command: ${line}`);
      const deliver = (output: OutputLine) => {
        log.output(output);
        onLine(output.line);
      };
      const command = { command: 'sh', args: ['-c', line], ...where, onLine: deliver };
      const exit = await runCommand(processes, command, signal);
      return exit.code === 0 ? undefined : describeExit(exit);
    },
  };
}
