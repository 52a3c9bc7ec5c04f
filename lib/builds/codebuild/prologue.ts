import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BuildFailure } from '../failure.ts';
import { secretValuesOf } from '../variables.ts';
import { logInToDockerHub } from './docker-hub.ts';
import { planFolder } from './folder.ts';
import { planImageBuild } from './image.ts';
import { isolate } from './isolation.ts';
import { type Job, takeJob } from './job.ts';
import type { Machine } from './machine.ts';
import { openReport, type Report, say } from './report.ts';
import { obtainSource } from './source/obtain.ts';

/**
 * The trusted part of a build: takes the job, shuts the build in, fetches the source, has the image or folder
 * built, hands the result on. Nothing of the user's runs here: their code runs inside `docker build` alone,
 * without credentials and without a way to the machine's metadata. What it leaves: the file `exports` in
 * `folder`, and the cause of a failure as the last line that is printed. True when something was built.
 */
export async function build(folder: string): Promise<boolean> {
  const report = openReport(folder);
  const work = await mkdtemp(join(tmpdir(), 'slipway-'));
  process.umask(0o022);
  const at = { step: 'start' };
  try {
    await buildIn(work, report, at);
    return true;
  } catch (error) {
    if (!(error instanceof BuildFailure)) report.broke(error);
    report.failed(error instanceof BuildFailure ? error.message : `The build broke in step '${at.step}'`);
    return false;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The secrets of the build, and what it was given to fetch and to push with. */
function valuesIn({ source, push, ...job }: Job): string[] {
  const token = source.kind === 'git' ? source.credentials?.token : undefined;
  const others = [token, push?.secretAccessKey, push?.sessionToken];
  return [...secretValuesOf(job), ...others.filter((one) => one !== undefined)];
}

async function buildIn(work: string, report: Report, at: { step: string }): Promise<void> {
  const { job, buildName } = await takeJob(work);
  report.hide(valuesIn(job));
  const [source, home] = [join(work, 'source'), join(work, 'home')];
  await mkdir(source);
  await mkdir(home);
  const machine: Machine = Object.assign(at, { job, buildName, report, work, source, home });
  if (job.remark) say(job.remark);
  await logInToDockerHub(machine);
  // What is shut in needs nothing that is closed: the registry has public addresses, and the job has brought
  // the credentials for it. `allowedHosts` opens nothing here: a build has no way into the operator's
  // network.
  await isolate(machine);
  await obtainSource(machine);
  machine.step = 'plan';
  const make = await (job.output === 'folder' ? planFolder(machine) : planImageBuild(machine));
  await make();
}
