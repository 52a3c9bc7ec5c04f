import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { AGENT_SERVER_FOLDER } from '../../contract/deployments/langgraph-json.ts';

export const AGENT_SERVER_TOOL = 'langgraphjs';
const LIBRARY = join('@langchain', 'langgraph');
const SERVER = join('@langchain', 'langgraph-api');

export type AgentServerTool = {
  /** The program. */
  tool: string;
  /** What Node imports before anything else of it, if it can. */
  imports: string | undefined;
  /** What a person should know of it, to be added to its name; often nothing. */
  remark: string;
};

/**
 * The agent server of a project in JavaScript: its own in one of `toolFolders`, else the one that the build
 * has added to the artifact. Undefined when there is neither. Once the routes for its development are taken
 * out, the file `mark` is there.
 */
export async function findAgentServer(
  projectFolder: string,
  artifactFolder: string,
  toolFolders: readonly string[],
  mark: string,
): Promise<AgentServerTool | undefined> {
  const inTools = (name: string) =>
    toolFolders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  const own = inTools(AGENT_SERVER_TOOL);
  // A Node of the project's own may be too old for what is imported here.
  const ownImports = inTools('node') === undefined ? importsOf({ mark }) : undefined;
  if (own !== undefined) return { tool: own, imports: ownImports, remark: '' };
  const added = join(artifactFolder, AGENT_SERVER_FOLDER);
  const tool = join(added, 'node_modules', '.bin', AGENT_SERVER_TOOL);
  return existsSync(tool) ? addedServer(tool, added, projectFolder, artifactFolder, mark) : undefined;
}

/**
 * Server and graphs must share one copy of the library that both are made of: the project's, if it is new
 * enough for this server, else the one that the server came with.
 */
async function addedServer(
  tool: string,
  added: string,
  projectFolder: string,
  artifactFolder: string,
  mark: string,
): Promise<AgentServerTool> {
  const places = foldersUpTo(projectFolder, artifactFolder);
  const versions = await Promise.all(places.map((place) => versionIn(place)));
  const at = versions.findIndex((version) => version !== undefined);
  const version = versions[at];
  const wanted = await rangeOf(added);
  const fits = version !== undefined && (wanted === undefined || isWithin(version, wanted));
  const home = pathToFileURL(join(fits ? (places[at] ?? added) : added, 'package.json'));
  return {
    tool,
    imports: importsOf({ home: home.href, mark }),
    remark:
      version === undefined || fits
        ? ''
        : `, with its own @langchain/langgraph: it works with ${wanted}, and the project has ${version}`,
  };
}

/** The module that prepares the processes of an agent server, with what it has to know. */
function importsOf(facts: Record<string, string>): string {
  const imports = pathToFileURL(join(import.meta.dirname, 'agent-imports.ts'));
  for (const [name, value] of Object.entries(facts)) imports.searchParams.set(name, value);
  return imports.href;
}

/** The project's folder and those above it, up to the artifact's root. */
function foldersUpTo(folder: string, root: string): string[] {
  return folder === root || folder === dirname(folder)
    ? [folder]
    : [folder, ...foldersUpTo(dirname(folder), root)];
}

const packageJson = z.object({
  version: z.string(),
  peerDependencies: z.record(z.string(), z.string()).optional(),
});

async function packageIn(folder: string, name: string): Promise<z.infer<typeof packageJson> | undefined> {
  const text = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8').catch(() => '');
  try {
    return packageJson.parse(JSON.parse(text));
  } catch {
    return undefined; // It is not there, or is no package.
  }
}

const versionIn = async (folder: string): Promise<string | undefined> =>
  (await packageIn(folder, LIBRARY))?.version;

/** The library's versions that the server works with, such as `^1.3.6`. */
const rangeOf = async (added: string): Promise<string | undefined> =>
  (await packageIn(added, SERVER))?.peerDependencies?.['@langchain/langgraph'];

/** Whether a version lies in a range of the form `^1.3.6`; nothing does in another one. */
function isWithin(version: string, range: string): boolean {
  const [major = 0, minor = 0, patch = 0] = numbersOf(version);
  const [, oldMajor = 0, oldMinor = 0, oldPatch = 0] =
    /^\^(\d+)\.(\d+)\.(\d+)$/.exec(range)?.map(Number) ?? [];
  if (oldMajor === 0 || major !== oldMajor) return false;
  return minor > oldMinor || (minor === oldMinor && patch >= oldPatch);
}

const numbersOf = (version: string): number[] => version.split(/[.+-]/, 3).map(Number);
