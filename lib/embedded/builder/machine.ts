import type { AgentProject } from '../../builds/agent-project.ts';
import { BuildFailure } from '../../builds/failure.ts';
import type { BuildPlan } from '../../builds/plan.ts';
import {
  type BuildHost,
  findProject,
  type PlanRequest,
  planProject,
  type Wanted,
} from '../../builds/plan-project.ts';
import { toolsOn } from '../../builds/project.ts';
import { type Interpreter, isNewEnough, wantedPython } from '../../builds/python.ts';
import { PYTHON_MINOR_OLDEST } from '../../builds/versions.ts';
import { missingPython } from '../../processes/python/environment.ts';
import { findPython, findPythons } from '../../processes/python/interpreters.ts';

/**
 * Decides how a source in a folder is built with what is on the PATH. Throws BuildFailure when it cannot be.
 */
export async function planHere(
  folder: string,
  wanted: Wanted,
  path: string,
): Promise<{ request: PlanRequest; plan: BuildPlan }> {
  const request = await findProject(folder, wanted, { mayQuote: true });
  return { request, plan: await planProject(request, await thisMachine(path)) };
}

/** What this machine has for builds: what is on the PATH. */
async function thisMachine(path: string): Promise<BuildHost> {
  const [nodeMajor = ''] = process.versions.node.split('.');
  return { tools: await toolsOn(path), nodeMajor, python: (project) => choosePython(project, path) };
}

async function choosePython(project: AgentProject, path: string): Promise<Interpreter> {
  const wanted = wantedPython(project);
  if (wanted !== undefined) {
    const exact = await findPython(wanted, path);
    if (exact !== undefined) return exact;
  }
  const pythons = await findPythons(path);
  const any = wanted === undefined ? pythons.find(({ version }) => isNewEnough(version)) : undefined;
  if (any !== undefined) return any;
  const { fileName, config } = project;
  const missing = missingPython(wanted ?? `3.${PYTHON_MINOR_OLDEST} or later`, pythons);
  throw new BuildFailure(
    `${fileName}: python_version ${config.python_version ?? 'is not given'}: ${missing}`,
  );
}
