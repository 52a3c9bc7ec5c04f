import { childEnvironment } from '../../processes/environment.ts';
import type { OutputLine } from '../../processes/group.ts';
import { describeExit, type Processes, runCommand } from '../../processes/run-command.ts';
import type { BuildLog } from './build-log.ts';
import type { StepPlan } from './commands.ts';
import { BuildFailure } from './failure.ts';

export type Step = { name: string; plan: StepPlan; cwd: string; environment: Record<string, string> };
export type StepContext = { processes: Processes; log: BuildLog; controller: AbortController };

/**
 * The environment of install and build commands: none of ours beyond the allow-list, no prompts, no colours, no notices.
 * `ceilingFolder`: git must not take a repository that the work folder happens to lie in for the project's.
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

/** Runs what the plan says. Throws BuildFailure when it cannot be run or fails. */
export async function runStep(context: StepContext, step: Step): Promise<void> {
  const { log } = context;
  const { name, plan } = step;
  log.startTail();
  if (plan.do === 'fail') throw new BuildFailure(plan.reason);
  if (plan.do === 'skip') {
    log.say(`Nothing to ${name}: ${plan.reason}`);
    return;
  }
  const { fallback } = plan;
  let fallsBack = false;
  const watch = (line: OutputLine) => {
    fallsBack ||= fallback?.onOutput.test(line.line) ?? false;
  };
  const failure = await runShell(context, step, plan.command, watch);
  if (failure === undefined) return;
  if (fallback === undefined || !fallsBack) throw failure;
  log.say(fallback.reason, 'WARNING');
  log.startTail();
  const second = await runShell(context, step, fallback.command, () => undefined);
  if (second !== undefined) throw second;
}

async function runShell(
  { processes, log, controller }: StepContext,
  { name, cwd, environment }: Step,
  command: string,
  onLine: (line: OutputLine) => void,
): Promise<BuildFailure | undefined> {
  log.say(`Running ${name} command: ${command}`);
  const deliver = (line: OutputLine) => {
    log.output(line);
    onLine(line);
  };
  const group = { command: 'sh', args: ['-c', command], cwd, environment, onLine: deliver };
  const exit = await runCommand(processes, group, controller.signal);
  if (exit.code === 0) return undefined;
  return new BuildFailure(`\`${command}\` ${describeExit(exit)}`, true);
}
