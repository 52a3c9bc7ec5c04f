import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { addWorker } from '../durable.ts';
import { carryOut, installPart, isNeeded, preparePart, type ShellCommand, type Site } from '../execute.ts';
import { BuildFailure } from '../failure.ts';
import type { BuildPlan } from '../plan.ts';
import { requireFiles } from '../plan-project.ts';
import { sealSource } from '../seal.ts';
import { addServer } from './finish.ts';
import { folderPlace, imagePlace, WORKER } from './planned.ts';
import { say } from './report.ts';
import { ownEnvironment } from './run.ts';

/** Inside an image build there is nobody to ask, and no other build to keep anything for. */
const ENVIRONMENT = {
  CI: '1',
  NO_COLOR: '1',
  npm_config_loglevel: 'warn',
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  npm_config_update_notifier: 'false',
  UV_NO_CACHE: '1',
};

/** The folder of the plan, and where what is made is written to. */
type Places = { folder: string; to: string };

const steps = { install, build, seal, finish };
export type InImageStep = keyof typeof steps;
export const isInImageStep = (name: string): name is InImageStep => Object.hasOwn(steps, name);

/**
 * Carries out a step of the plan that lies in `folder`, on the source in `root`. Resolves with the exit code:
 * that of the command that failed, where one did. The log says why.
 */
export async function inImage(name: InImageStep, folder: string, root: string, to = ''): Promise<number> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this builder, before the image build
  const plan = JSON.parse(await readFile(join(folder, 'plan.json'), 'utf8')) as BuildPlan;
  const environment = { ...ownEnvironment(), ...ENVIRONMENT };
  let failedWith = 1;
  const run = async (command: ShellCommand) => {
    const { code, how } = await shell(command);
    failedWith = code ?? 1;
    return code === 0 ? undefined : how;
  };
  const site: Site = { root, environment, say, run };
  try {
    await steps[name](site, plan, { folder, to });
    return 0;
  } catch (error) {
    if (!(error instanceof BuildFailure)) throw error;
    say(error.message);
    return failedWith || 1;
  }
}

async function install(site: Site, plan: BuildPlan): Promise<void> {
  for (const part of plan.install) {
    if (!(await isNeeded(site, part))) continue;
    await preparePart(site, part);
    await installPart(site, plan, part);
  }
}

async function build(site: Site, plan: BuildPlan): Promise<void> {
  await carryOut(site, plan, 'build', plan.build);
  await requireFiles(site.root, plan.requires);
}

/** What is deployed carries no history. */
async function seal({ root }: Site, plan: BuildPlan, { folder }: Places): Promise<void> {
  await rm(join(root, '.git'), { recursive: true, force: true });
  await sealSource(root, plan, folderPlace.tools);
  if (plan.isDurable) await addWorker(root, plan, join(folder, WORKER));
}

/** Of an image of a server: writes to the folder `to` what is added to it. */
async function finish(site: Site, plan: BuildPlan, { to }: Places): Promise<void> {
  await rm(join(site.root, '.git'), { recursive: true, force: true });
  await addServer(site, plan, imagePlace.tools, to);
}

/** Output that was printed by the end of a command is read by then. */
const OUTPUT_MILLISECONDS = 1000;

type Ended = { code: number | null; how: string };

async function shell({ line, cwd, environment, onLine }: ShellCommand): Promise<Ended> {
  say(`+ ${line}`);
  const child = spawn('sh', ['-c', line], { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (printed) => {
      say(printed);
      onLine(printed);
    });
  const closed = once(child, 'close');
  await once(child, 'exit');
  // What it left running may hold its output open; that ends with this step of the image build.
  await Promise.race([closed, delay(OUTPUT_MILLISECONDS, undefined, { ref: false })]);
  child.stdout.destroy();
  child.stderr.destroy();
  const { exitCode: code, signalCode } = child;
  return { code, how: code === null ? `was ended by ${signalCode}` : `exited with code ${code}` };
}
