import { copyFile, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { hasByteOrderMark, textOfFile } from '../../contract/file-text.ts';
import type { AgentServer } from '../../contract/revision-status.ts';
import { BuildFailure } from '../failure.ts';
import { isInside, pathWithin } from '../project.ts';
import { withVariables } from './bound.ts';
import { dockerBuild } from './docker.ts';
import { describeDockerfile } from './dockerfiles.ts';
import type { Machine } from './machine.ts';
import { say } from './report.ts';
import { ownFile, refuseControlCharacters } from './source/paths.ts';

const SCRIPT = 'describe.py';
const contextsSchema = z.record(z.string(), z.string());

/** What an image is built from. */
export type ImageSource = {
  dockerfile: string;
  context: string;
  /** Further contexts by name. */
  contexts: Record<string, string>;
  /** The stage that is built; by default the last. */
  target?: string;
  server: AgentServer;
};

type AgentFolder = { root: string; folder: string; isScript: boolean };

/**
 * Prepares the Dockerfile of an agent project: the agent's own tool writes it, in a container without network
 * that has the source to read and nothing else. A workspace is installed from the root of the source.
 */
export async function prepareDescription(
  machine: Machine,
  { root, folder, isScript }: AgentFolder,
): Promise<() => Promise<ImageSource>> {
  const { job, work } = machine;
  const isWorkspace =
    isScript && folder !== root && (await ownFile(root, join(root, 'package.json'))) !== undefined;
  const describe = join(work, 'describe');
  await mkdir(describe);
  await copyFile(fileURLToPath(new URL(SCRIPT, import.meta.url)), join(describe, SCRIPT));
  await writeFile(join(describe, 'Dockerfile'), describeDockerfile(SCRIPT));
  const config = await realpath(join(folder, basename(job.configPath)));
  await removeByteOrderMark(config);
  const request = {
    config: relative(root, config),
    context: isWorkspace ? '.' : pathWithin(root, folder),
    install: job.installCommand ?? null,
    build: job.buildCommand ?? null,
  };
  await writeFile(join(describe, 'request.json'), JSON.stringify(request));
  return async () => {
    machine.step = 'describe';
    say('Writing the Dockerfile of the agent project');
    const made = join(work, 'described');
    const place = ['--build-context', `agent=${machine.source}`, describe];
    await dockerBuild(machine, [
      '--file',
      join(describe, 'Dockerfile'),
      '--output',
      `type=local,dest=${made}`,
      ...place,
    ]);
    const context = isWorkspace ? root : folder;
    const described = await readDescribed(root, made);
    const dockerfile = join(work, 'agent.Dockerfile');
    const text = await readFile(described.dockerfile, 'utf8');
    await writeFile(dockerfile, withVariables(machine, text, 'all'));
    return { ...described, dockerfile, context, server: 'langgraph' };
  };
}

/** The agent's own tool reads no file that begins with one. */
async function removeByteOrderMark(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (hasByteOrderMark(bytes)) await writeFile(file, textOfFile(bytes));
}

/**
 * The tool ran on what a user wrote, so what it made is checked: further contexts are folders of the source.
 */
async function readDescribed(
  root: string,
  made: string,
): Promise<Pick<ImageSource, 'dockerfile' | 'contexts'>> {
  const dockerfile = join(made, 'Dockerfile');
  const reason = await readFile(join(made, 'reason'), 'utf8').catch(() => undefined);
  if (reason !== undefined) throw new BuildFailure(`The config file cannot be used: ${reason}`);
  const text = await readFile(join(made, 'contexts.json'), 'utf8');
  const contexts: [string, string][] = [];
  for (const [name, path] of Object.entries(contextsSchema.parse(JSON.parse(text)))) {
    const what = `The config file's dependency '${path}'`;
    const folder = await realpath(resolve(root, path)).catch(() => undefined);
    if (folder === undefined || !isInside(root, folder, true) || !(await stat(folder)).isDirectory())
      throw new BuildFailure(`${what} leads out of the source`);
    refuseControlCharacters(folder, what);
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
      throw new BuildFailure(
        `The folder of the config file's dependency '${path}' must have a name of plain characters`,
      );
    contexts.push([name, folder]);
  }
  return { dockerfile, contexts: Object.fromEntries(contexts) };
}
