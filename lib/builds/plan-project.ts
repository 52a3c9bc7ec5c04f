import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type DurableWish,
  NEEDS_COMMAND,
  needsGraphs,
  type Runtime,
} from '../contract/deployments/runtimes.ts';
import {
  type AgentProject,
  filesOfGraphs,
  missingEnvFile,
  type Quotes,
  readAgentProject,
} from './agent-project.ts';
import { detectServer, nothingToStart, releaseLine, serverOfCommand } from './detect/detect.ts';
import type { Look, Server } from './detect/server.ts';
import { readSourceFiles } from './detect/source-files.ts';
import { becomesDurable } from './durable.ts';
import { BuildFailure } from './failure.ts';
import { buildStep, installJavaScript, leavesBuildScript, withManager } from './javascript.ts';
import { nodeWish } from './node-version.ts';
import type { BuildPlan, BuildStep, InstallPart, Note } from './plan.ts';
import { notesOnPlan } from './plan-notes.ts';
import { findBuildFolder, isFile, type ProjectFacts, pathWithin, readProject } from './project.ts';
import { type Interpreter, installPython, type PythonWish, wishOfAgent } from './python.ts';
import { inLockedWorkspace } from './python-dependencies.ts';
import { installPythonServer, pythonWish } from './python-server.ts';

/** What a client said of the project in a source. */
export type Wanted = {
  /** The folder that all else is relative to, from the root of the source. */
  rootDirectory?: string | undefined;
  configPath: string;
  installCommand?: string | undefined;
  buildCommand?: string | undefined;
  startCommand?: string | undefined;
  durable?: DurableWish | undefined;
  /** What is asked for to run it. */
  runtime?: Runtime | undefined;
};

export type PlanRequest = {
  /** The whole source, and the project's folder in it; both without links. */
  root: string;
  folder: string;
  agent: AgentProject | undefined;
  /** Slipway's own server runs its graphs. */
  isDurable?: boolean | undefined;
} & Pick<Wanted, 'installCommand' | 'buildCommand' | 'startCommand'>;

/** What is to be had where the plan will be carried out. */
export type BuildHost = {
  /** Which of the programs that builds may need are there, such as `npm` or `go`. */
  tools: ReadonlySet<string>;
  /** Whether a package manager is put there where scripts of a project call it. */
  bringsManagers?: true;
  /** The major version of Node.js that agents run on; absent where they get the one that they ask for. */
  nodeMajor?: string;
  /** The major versions of Node.js that a server can be built and started with; the first is it that most get. */
  nodeMajors: readonly [string, ...string[]];
  /** The interpreter for a project. Throws BuildFailure when there is none that fits. */
  python(wish: PythonWish): Promise<Interpreter>;
};

/**
 * Finds the project in a source. Throws BuildFailure when there is none, or its config file cannot be used.
 */
export async function findProject(
  sourceFolder: string,
  wanted: Wanted,
  quotes: Quotes,
): Promise<PlanRequest> {
  const { rootDirectory, configPath, installCommand, buildCommand, startCommand, durable } = wanted;
  const root = await realpath(sourceFolder);
  const folder = await findBuildFolder(root, configPath, rootDirectory);
  const agent = await readAgentProject(root, folder, configPath, quotes);
  const isDurable = becomesDurable(durable, agent, configPath);
  requireFit(wanted, agent);
  return { root, folder, agent, installCommand, buildCommand, startCommand, isDurable };
}

/** Throws BuildFailure for a source that has nothing which the runtime that is asked for could run. */
function requireFit({ runtime, startCommand }: Wanted, agent: AgentProject | undefined): void {
  if (runtime === undefined || runtime === 'auto' || startCommand) return;
  if (runtime === 'command' && agent !== undefined) throw new BuildFailure(NEEDS_COMMAND);
  if (runtime !== 'command' && agent === undefined) throw new BuildFailure(needsGraphs(runtime));
}

/**
 * Decides how a project is built, without running anything of it: the same for the same files, wherever it
 * will run. Throws BuildFailure for what cannot be built or started, with the reason.
 */
export async function planProject(request: PlanRequest, place: BuildHost): Promise<BuildPlan> {
  const facts = await readProject(request.root, request.folder, place.tools);
  const { agent } = request;
  return agent === undefined ? planServer(request, facts, place) : planAgent(request, agent, facts, place);
}

type Parts = Pick<BuildPlan, 'environment' | 'install'> & Partial<Pick<BuildPlan, 'venv' | 'notes'>>;

async function planAgent(
  request: PlanRequest,
  agent: AgentProject,
  facts: ProjectFacts,
  place: BuildHost,
): Promise<BuildPlan> {
  const { root, folder, buildCommand, installCommand, isDurable = false } = request;
  const requires = filesOfGraphs(agent, hintFor(request, facts));
  if (!mayMakeFiles(request, facts)) await requireFiles(root, requires);
  const parts: Parts =
    agent.language === 'python'
      ? await installPython(agent, await place.python(wishOfAgent(agent)), { installCommand, isDurable })
      : {
          environment: {},
          install: await installJavaScript({ root, folder, facts, isAgent: true }, installCommand),
        };
  const plan = withManagers(facts, place, {
    language: agent.language,
    server: 'langgraph',
    folder: pathWithin(root, folder),
    build: buildStep(facts, buildCommand, true),
    ownCommands: hasCommands(request),
    ...(isDurable && { isDurable }),
    requires,
    ...parts,
    notes: [],
  });
  const name = agent.language === 'python' ? 'Python' : 'JavaScript';
  const server = isDurable ? 'the durable agent server' : `the ${name} agent server`;
  const start = request.startCommand || `${server} of ${agent.fileName}`;
  const about = { what: `${agent.fileName} describes an agent in ${name}`, start, facts };
  return {
    ...plan,
    notes: [...notesOnPlan(plan, about), ...(await warnings(agent, place)), ...(parts.notes ?? [])],
  };
}

async function planServer(request: PlanRequest, facts: ProjectFacts, place: BuildHost): Promise<BuildPlan> {
  const { root, folder } = request;
  const files = await readSourceFiles(root, folder);
  const look: Look = { files, folder: pathWithin(root, folder), tools: place.tools };
  const server = findServer(look, request);
  const release = releaseLine(look.files);
  const parts: Parts = {
    environment: {},
    install: await packageParts(request, facts, server),
  };
  if (server?.python !== undefined) {
    const { installCommand } = request;
    const locked = files.has('uv.lock') || (await inLockedWorkspace(folder, root));
    const project = { root, folder, files, locked, adds: server.python.adds, installCommand };
    const { install, ...python } = installPythonServer(project, await place.python(pythonWish(files)));
    Object.assign(parts, { ...python, install: [...parts.install, ...install] });
  }
  const node = await chooseNode(
    request,
    facts,
    server?.python === undefined ? place.nodeMajors : [place.nodeMajors[0]],
  );
  const plan = withManagers(facts, place, {
    language: server?.python === undefined ? 'plain' : 'python',
    server: 'other',
    folder: pathWithin(root, folder),
    build: buildOf(request, facts, server),
    ownCommands: hasCommands(request),
    requires: madeBy(request, server),
    ...parts,
    ...(server !== undefined && {
      start: { line: server.line, from: server.from, ...(server.isGiven && { isGiven: true }) },
    }),
    ...(request.startCommand && { startCommand: request.startCommand }),
    ...(release !== undefined && { release }),
    node: node.major,
    notes: [],
  });
  const what =
    server === undefined
      ? 'Nothing in this source says how it is started, so that is looked for once its commands have run'
      : `This source is ${server.what}: ${server.file} says so`;
  const about = { what, start: server?.command ?? plan.start?.line, facts };
  return { ...plan, notes: [...notesOnPlan(plan, about), ...node.notes, ...(parts.notes ?? [])] };
}

/** The Node.js that a server gets: what its project asks for, where that is to be had. */
async function chooseNode(
  { root, folder }: PlanRequest,
  { packageJson }: ProjectFacts,
  nodeMajors: BuildHost['nodeMajors'],
): Promise<{ major: string; notes: Note[] }> {
  const [usual] = nodeMajors;
  const wish = await nodeWish(root, folder, packageJson);
  const major = wish === undefined ? usual : nodeMajors.find(wish.fits);
  if (major !== undefined) return { major, notes: [] };
  const text = `${wish?.from}, which is not to be had here; it is built and started with Node.js ${usual}`;
  return { major: usual, notes: [{ text, level: 'WARNING' }] };
}

/** The plan with the package managers that its lines call. */
function withManagers(facts: ProjectFacts, { bringsManagers }: BuildHost, plan: BuildPlan): BuildPlan {
  if (bringsManagers) return plan;
  const inStep = (step: BuildStep): BuildStep => {
    if (step.do === 'script') return { ...step, present: inStep(step.present) };
    return step.do === 'run' ? { ...step, command: withManager(step.command, facts) } : step;
  };
  const install = plan.install.map((part) => ({ ...part, steps: part.steps.map(inStep) }));
  const start = plan.start && { ...plan.start, line: withManager(plan.start.line, facts) };
  return { ...plan, install, build: inStep(plan.build), ...(start !== undefined && { start }) };
}

/**
 * Throws BuildFailure for what cannot be started, unless the client says how, or has commands that may make
 * what is missing.
 */
function findServer(look: Look, request: PlanRequest): Server | undefined {
  const found = detectServer(look);
  const { startCommand } = request;
  if (startCommand) return serverOfCommand(startCommand, found, look);
  if (found === undefined) {
    if (!hasCommands(request)) throw new BuildFailure(nothingToStart(look));
    return undefined;
  }
  if ('refused' in found) throw new BuildFailure(found.refused);
  return found;
}

/** A project in Python alone has its own part, which an install command of the client's is run in. */
async function packageParts(
  { root, folder, installCommand }: PlanRequest,
  facts: ProjectFacts,
  server: Server | undefined,
): Promise<InstallPart[]> {
  if (server?.python !== undefined && (installCommand || facts.packageJson === undefined || !server.packages))
    return [];
  if (server === undefined || server.packages)
    return installJavaScript({ root, folder, facts, isAgent: false }, installCommand);
  const skip: BuildStep = { do: 'skip', reason: `the build of ${server.what} fetches what it needs` };
  const step: BuildStep = installCommand ? { do: 'run', command: installCommand } : skip;
  return [{ kind: 'packages', makes: pathWithin(root, join(folder, 'node_modules')), steps: [step] }];
}

function buildOf({ buildCommand }: PlanRequest, facts: ProjectFacts, server: Server | undefined): BuildStep {
  if (buildCommand) return { do: 'run', command: buildCommand };
  if (server?.build !== undefined) return { do: 'run', command: server.build };
  if (server === undefined || server.packages) return buildStep(facts, buildCommand, false);
  return { do: 'skip', reason: `${server.what} needs no build` };
}

function madeBy({ root, folder }: PlanRequest, server: Server | undefined): BuildPlan['requires'] {
  if (server?.makes === undefined || server.command !== undefined) return [];
  const path = pathWithin(root, join(folder, server.makes));
  return [
    {
      path,
      reason: `${server.from} starts ${server.makes}, which is not in the source and not made by the build`,
    },
  ];
}

/** Throws BuildFailure with the reason of the first file that is not there. */
export async function requireFiles(root: string, files: BuildPlan['requires']): Promise<void> {
  for (const { path, reason } of files) if (!(await isFile(join(root, path)))) throw new BuildFailure(reason);
}

const hasCommands = ({ installCommand, buildCommand }: PlanRequest): boolean =>
  Boolean(installCommand) || Boolean(buildCommand);

/** Whether a command may make what is not in the source; else a file that is missing now stays missing. */
function mayMakeFiles(request: PlanRequest, { packageJson }: ProjectFacts): boolean {
  return hasCommands(request) || Object.keys(packageJson?.scripts ?? {}).length > 0;
}

const hintFor = ({ buildCommand }: PlanRequest, facts: ProjectFacts): string =>
  leavesBuildScript(facts, buildCommand, true)
    ? '; the `build` script of package.json runs only when build_command asks for it'
    : '';

async function warnings(agent: AgentProject, { nodeMajor }: BuildHost): Promise<Note[]> {
  const { config, fileName, language } = agent;
  const notes: Note[] = [];
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
