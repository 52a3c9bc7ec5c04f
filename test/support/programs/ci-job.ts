import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { loadYaml } from '@kubernetes/client-node';
import { onTestFinished } from 'vitest';
import { onLoopback } from '../http/loopback-server.ts';
import type { Issuer } from '../oauth/issuer.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const ACTION = join(root, '.github/actions/deploy');

type Action = {
  inputs: Record<string, { required?: boolean; default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: { id: string; shell: string; run: string; env: Record<string, string> }[] };
};
export const action: Action = loadYaml(await readFile(join(ACTION, 'action.yml'), 'utf8'));

type Template = Record<
  string,
  { script: string[]; id_tokens: Record<string, { aud: string }>; artifacts: object }
>;
export const gitlabTemplate: Template = loadYaml(
  await readFile(join(root, 'templates/deploy.gitlab-ci.yml'), 'utf8'),
);

export type Job = {
  exit: number | null;
  stdout: string;
  stderr: string;
  outputs: string;
  summary: string;
  /** What is left in the runner's folder for temporary files. */
  left: string[];
};

/** Where GitHub's runner asks for the token of its job; `claims`: what the token says beside the audience. */
export async function tokenEndpoint(issuer: Issuer, claims: () => Record<string, unknown>) {
  const { url, close } = await onLoopback(
    createServer(async ({ url: path = '', headers }, response) => {
      const audience = new URL(path, 'http://runner').searchParams.get('audience');
      const isAsked = headers.authorization === 'Bearer of-the-runner' && audience !== null;
      response.writeHead(isAsked ? 200 : 401, { 'content-type': 'application/json' });
      const token = isAsked ? await issuer.token('repo:acme/agent', { ...claims(), aud: audience }) : '';
      response.end(JSON.stringify({ value: token }));
    }),
  );
  onTestFinished(close);
  return {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-runner',
  };
}

const INPUT = /^\$\{\{ inputs\.(\w+) \}\}$/;

/** Runs the step of the action as GitHub's runner does, in a folder. */
export async function runAction(
  folder: string,
  inputs: Record<string, string>,
  environment: Record<string, string> = {},
): Promise<Job> {
  const [step] = action.runs.steps;
  if (step === undefined) throw new Error('the action has no step');
  const runner = await mkdtemp(join(dirname(folder), 'runner-'));
  const files = { GITHUB_OUTPUT: join(runner, 'output'), GITHUB_STEP_SUMMARY: join(runner, 'summary') };
  const RUNNER_TEMP = join(runner, 'temp');
  const script = join(runner, 'step.sh');
  await mkdir(RUNNER_TEMP);
  await Promise.all(Object.values(files).map((file) => writeFile(file, '')));
  await writeFile(script, step.run);
  const given = Object.entries(step.env).map(([name, expression]) => {
    const input = INPUT.exec(expression)?.[1] ?? '';
    return [name, inputs[input] ?? action.inputs[input]?.default ?? ''];
  });
  const ran = await run(folder, ['bash', '--noprofile', '--norc', '-eo', 'pipefail', script], {
    ...Object.fromEntries(given),
    ...files,
    RUNNER_TEMP,
    GITHUB_ACTION_PATH: ACTION,
    ...environment,
  });
  return {
    ...ran,
    outputs: await readFile(files.GITHUB_OUTPUT, 'utf8'),
    summary: await readFile(files.GITHUB_STEP_SUMMARY, 'utf8'),
    left: await readdir(RUNNER_TEMP),
  };
}

/** Runs the template's script as GitLab's runner does, in a folder. */
export function runTemplate(folder: string, environment: Record<string, string>) {
  const lines = gitlabTemplate['.slipway-deploy']?.script ?? [];
  return run(folder, ['sh', '-e', '-c', lines.join('\n')], environment);
}

async function run(cwd: string, command: [string, ...string[]], environment: Record<string, string>) {
  const [program, ...args] = command;
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  const child = spawn(program, args, {
    cwd,
    env: { HOME: dirname(cwd), CI: 'true', ...environment, PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, exit] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  return { exit, stdout, stderr };
}
