import type { DependencyCache } from './dependency-cache.ts';
import { installJavaScript } from './install-javascript.ts';
import { type AgentProject, missingEnvFile } from './langgraph/config.ts';
import { type Installed, installPython } from './langgraph/install-python.ts';
import { readProject } from './project.ts';
import type { StepContext } from './run-step.ts';

export type InstallRequest = {
  folder: string;
  /** The whole source. */
  root: string;
  agent: AgentProject | undefined;
  installCommand: string | undefined;
  environment: Record<string, string>;
  cache: DependencyCache;
  /** Holds the tools that all builds of this machine share. */
  toolsFolder: string;
};

/** Installs a project's dependencies: of an agent as its config says, of any other as package.json says. */
export async function installProject(context: StepContext, request: InstallRequest): Promise<Installed> {
  const { folder, agent, environment } = request;
  if (agent !== undefined) await describe(context, agent);
  if (agent?.language === 'python') return installPython(context, { ...request, project: agent });
  const facts = await readProject(folder, environment.PATH ?? '');
  const afterBuild = await installJavaScript(context, { ...request, facts });
  return { environment, seal: async () => undefined, afterBuild };
}

async function describe({ log }: StepContext, agent: AgentProject): Promise<void> {
  const { config, fileName, language } = agent;
  log.say(`${fileName} describes an agent in ${language === 'python' ? 'Python' : 'JavaScript'}`);
  const missing = await missingEnvFile(agent);
  if (missing !== undefined)
    log.say(
      `${fileName}: env names ${missing}, which is not in the source; the agent runs without it`,
      'WARNING',
    );
  const here = process.versions.node.split('.')[0];
  const wanted = config.node_version?.split('.')[0];
  if (language === 'javascript' && wanted !== undefined && wanted !== here)
    log.say(
      `${fileName} asks for Node.js ${wanted}; agents run on the Node.js ${here} that is here`,
      'WARNING',
    );
}
