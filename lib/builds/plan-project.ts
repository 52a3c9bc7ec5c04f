import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AgentProject,
  filesOfGraphs,
  missingEnvFile,
  type Quotes,
  readAgentProject,
} from './agent-project.ts';
import { BuildFailure } from './failure.ts';
import { buildStep, installJavaScript, leavesBuildScript } from './javascript.ts';
import type { BuildPlan, Note } from './plan.ts';
import { findBuildFolder, isFile, type ProjectFacts, pathWithin, readProject } from './project.ts';
import { type Interpreter, installPython } from './python.ts';

/** What a client said of the project in a source. */
export type Wanted = {
  configPath: string;
  installCommand?: string | undefined;
  buildCommand?: string | undefined;
};

export type PlanRequest = {
  /** The whole source, and the project's folder in it; both without links. */
  root: string;
  folder: string;
  agent: AgentProject | undefined;
  installCommand?: string | undefined;
  buildCommand?: string | undefined;
};

/** What is to be had where the plan will be carried out. */
export type BuildHost = {
  /** Which of `npm`, `npx`, `pnpm`, `yarn` are there. */
  tools: ReadonlySet<string>;
  /** The major version of Node.js that agents run on; absent where they get the one that they ask for. */
  nodeMajor?: string;
  /** The interpreter for a project. Throws BuildFailure when there is none that fits. */
  python(project: AgentProject): Promise<Interpreter>;
};

/**
 * Finds the project in a source. Throws BuildFailure when there is none, or its config file cannot be used.
 */
export async function findProject(
  sourceFolder: string,
  { configPath, installCommand, buildCommand }: Wanted,
  quotes: Quotes,
): Promise<PlanRequest> {
  const root = await realpath(sourceFolder);
  const folder = await findBuildFolder(root, configPath);
  const agent = await readAgentProject(root, folder, configPath, quotes);
  return { root, folder, agent, installCommand, buildCommand };
}

/**
 * Decides how a project is built, without running anything of it: the same for the same files, wherever it
 * will run. Throws BuildFailure for what cannot be built, with the reason.
 */
export async function planProject(request: PlanRequest, place: BuildHost): Promise<BuildPlan> {
  const { root, folder, agent, buildCommand, installCommand } = request;
  const facts = await readProject(root, folder, place.tools);
  const requires = agent === undefined ? [] : filesOfGraphs(agent, hintFor(request, facts));
  if (!mayMakeFiles(request, facts)) await requireFiles(root, requires);
  const common: Omit<BuildPlan, 'environment' | 'install' | 'venv'> = {
    language: agent?.language ?? 'plain',
    folder: pathWithin(root, folder),
    notes: agent === undefined ? [] : await notesOn(agent, place),
    build: buildStep(facts, buildCommand, agent !== undefined),
    requires,
  };
  if (agent?.language === 'python') {
    const { notes, ...python } = await installPython(agent, await place.python(agent), installCommand);
    return { ...common, ...python, notes: [...common.notes, ...notes] };
  }
  const project = { root, folder, facts, isAgent: agent !== undefined };
  return { ...common, environment: {}, install: await installJavaScript(project, installCommand) };
}

/** Throws BuildFailure with the reason of the first file that is not there. */
export async function requireFiles(root: string, files: BuildPlan['requires']): Promise<void> {
  for (const { path, reason } of files) if (!(await isFile(join(root, path)))) throw new BuildFailure(reason);
}

/** Whether a command may make what is not in the source; else a file that is missing now stays missing. */
function mayMakeFiles({ installCommand, buildCommand }: PlanRequest, { packageJson }: ProjectFacts): boolean {
  const hasScripts = Object.keys(packageJson?.scripts ?? {}).length > 0;
  return Boolean(installCommand) || Boolean(buildCommand) || hasScripts;
}

const hintFor = ({ buildCommand }: PlanRequest, facts: ProjectFacts): string =>
  leavesBuildScript(facts, buildCommand, true)
    ? '; the `build` script of package.json runs only when build_command asks for it'
    : '';

async function notesOn(agent: AgentProject, { nodeMajor }: BuildHost): Promise<Note[]> {
  const { config, fileName, language } = agent;
  const name = language === 'python' ? 'Python' : 'JavaScript';
  const notes: Note[] = [{ text: `${fileName} describes an agent in ${name}`, level: 'INFO' }];
  const missing = await missingEnvFile(agent);
  if (missing !== undefined)
    notes.push({
      text: `${fileName}: env names ${missing}, which is not in the source; the agent runs without it`,
      level: 'WARNING',
    });
  const wanted = config.node_version?.split('.')[0];
  if (language === 'javascript' && nodeMajor !== undefined && wanted !== undefined && wanted !== nodeMajor)
    notes.push({
      text: `${fileName} asks for Node.js ${wanted}; agents run on the Node.js ${nodeMajor} that is here`,
      level: 'WARNING',
    });
  return notes;
}
