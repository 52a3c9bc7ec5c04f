import type { GitAccess } from '../../adapters/git-credentials.ts';
import { childEnvironment } from '../../processes/environment.ts';
import type { GroupExit } from '../../processes/group.ts';
import { pathHiding } from '../../processes/hidden-paths.ts';
import type { OutputLine } from '../../processes/output.ts';
import { type Processes, runCommand } from '../../processes/run-command.ts';

/** Protocols git may speak; anything else (`ext::` runs commands) is refused by git itself. */
const PROTOCOLS = ['https', 'ssh', 'file'];

/**
 * Nothing of the user's configuration may run code in the repositories that we make: no hooks, templates or
 * monitors.
 */
const QUIET_CONFIGURATION = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'init.templateDir=',
  'init.defaultBranch=main',
  'advice.detachedHead=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  // What we clone is thrown away.
  'gc.auto=0',
  'maintenance.auto=false',
];

/**
 * The environment of git. The user's and the system's configuration stay in force, for credential helpers and
 * ssh commands of private repositories live there; prompts cannot appear: no terminal (the child has its own
 * session), no askpass program.
 */
export function gitEnvironment(
  protocols: readonly string[] = PROTOCOLS,
  access?: GitAccess,
): Record<string, string> {
  const sshCommand = process.env.GIT_SSH_COMMAND;
  return childEnvironment({
    GIT_ALLOW_PROTOCOL: protocols.join(':'),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    LC_ALL: 'C',
    ...(sshCommand === undefined ? {} : { GIT_SSH_COMMAND: sshCommand }),
    ...accessConfiguration(access),
  });
}

/**
 * Git's own configuration by environment: other processes do not see it as they would see arguments. The
 * header goes to those addresses alone.
 */
function accessConfiguration(access: GitAccess | undefined): Record<string, string> {
  if (access === undefined) return {};
  const settings = access.addresses.flatMap((address): [string, string][] => [
    [`http.${address}.extraHeader`, `Authorization: ${access.authorization}`],
    [`http.${address}.followRedirects`, 'false'],
  ]);
  const numbered = settings.flatMap(([key, value], number): [string, string][] => [
    [`GIT_CONFIG_KEY_${number}`, key],
    [`GIT_CONFIG_VALUE_${number}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(numbered) };
}

export type GitCommand = {
  args: readonly string[];
  cwd: string;
  signal: AbortSignal;
  onLine?: (line: OutputLine) => void;
  protocols?: readonly string[];
  access?: GitAccess | undefined;
  /** What is longer of a line is cut off. */
  lineBytesMax?: number;
};

export type GitResult = { exit: GroupExit; stdout: string[]; stderr: string[] };

/** Runs the system's git and collects its output. Throws the signal's reason when that aborts. */
export async function runGit(processes: Processes, command: GitCommand): Promise<GitResult> {
  const result: GitResult = { exit: { code: null, signal: null }, stdout: [], stderr: [] };
  const args = [...QUIET_CONFIGURATION.flatMap((setting) => ['-c', setting]), ...command.args];
  const onLine = (line: OutputLine) => {
    result[line.stream].push(line.line);
    command.onLine?.(line);
  };
  const environment = gitEnvironment(command.protocols, command.access);
  const { cwd, lineBytesMax } = command;
  const start = { command: 'git', args, cwd, environment, onLine, ...(lineBytesMax && { lineBytesMax }) };
  result.exit = await runCommand(processes, start, command.signal, { known: true });
  return result;
}

const ADVICE = /^(Please make sure you have the correct access rights|and the repository exists\.|hint: )/;

/**
 * Why git failed, from its own last lines, with what to do where its words do not say it. Clients read it:
 * git names files of the user's home.
 */
export function gitReason({ exit, stderr }: GitResult): string {
  if (exit.error !== undefined) return `git could not be started (${exit.error}); install git`;
  const lines = stderr.map((line) => line.trim()).filter((line) => line !== '' && !ADVICE.test(line));
  const words = lines.slice(-4).join('; ') || `git exited with code ${exit.code}`;
  return `${pathHiding([])(words)}${remedyFor(words)}`;
}

const remedies: [RegExp, string][] = [
  [
    /could not read (Username|Password)|terminal prompts disabled|Authentication failed/i,
    ' (it needs credentials: set up a git credential helper on this machine, or use an ssh address)',
  ],
  [/Host key verification failed/i, ' (connect to this host once with ssh, so that its key is known)'],
  [/Permission denied \(publickey/i, ' (no ssh key of this machine is accepted there)'],
];

function remedyFor(words: string): string {
  return remedies.find(([pattern]) => pattern.test(words))?.[1] ?? '';
}
