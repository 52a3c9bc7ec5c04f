import { existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join, relative, resolve, sep } from 'node:path';
import * as z from 'zod';
import type { DeploySpec } from '../../../contract/listener-protocol.ts';
import type { Level } from '../../../contract/output-level.ts';

/**
 * How to start an agent server: a shell line, where, and the folders of tools that come first on its PATH.
 */
export type ServerCommand = {
  line: string;
  cwd: string;
  toolFolders: string[];
  from: string;
  /** Variables that the deployment's own win over. */
  variables?: Record<string, string>;
  /**
   * The server keeps what must last in memory and saves it at SIGTERM: it has to be asked alone, and waited
   * for.
   */
  savesOnStop?: boolean;
  /** Whether this line, before it is ready, means that it never will be, although it lives on. */
  isFatal?: (line: { level: Level; message: string }) => boolean;
  /** How a line of its output is read. */
  toLines?: (line: string) => { level: Level; message: string }[];
};

/** The folder says nothing that we could run. */
class NoCommandError extends Error {}

const packageSchema = z.object({ scripts: z.record(z.string(), z.string()).optional() });

/** The project's folder: where the configuration lies inside the artifact, else the artifact's root. */
export function projectFolder(artifactFolder: string, graphConfigPath: string): string {
  const folder = resolve(artifactFolder, dirname(graphConfigPath));
  const inside = folder === artifactFolder || folder.startsWith(artifactFolder + sep);
  return inside && existsSync(folder) && statSync(folder).isDirectory() ? folder : artifactFolder;
}

/**
 * The `node_modules/.bin` folders from the project up to the artifact's root, nearest first, as npm puts them
 * on PATH.
 */
export function toolFolders(folder: string, artifactFolder: string): string[] {
  const depth = relative(artifactFolder, folder).split(sep).filter(Boolean).length;
  const folders = Array.from({ length: depth + 1 }, (_, up) =>
    resolve(folder, ...Array<string>(up).fill('..')),
  );
  return folders.map((one) => join(one, 'node_modules', '.bin')).filter((one) => existsSync(one));
}

/** A text as one word of a shell line. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** PATH with the project's own tools first. */
export function withTools(path: string, folders: string[]): string {
  return [...folders, path].join(delimiter);
}

function readScripts(folder: string): Record<string, string> {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return {};
  try {
    return packageSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).scripts ?? {};
  } catch {
    throw new NoCommandError('package.json cannot be read: it is not valid JSON with a "scripts" object.');
  }
}

function npmLine(scripts: Record<string, string>): string | undefined {
  const { start, prestart, poststart } = scripts;
  if (start === undefined || start.trim() === '') return undefined;
  // The script in a shell of ours is one process where npm makes three, and signals reach the server at once.
  // npm itself is needed only for what it alone does.
  const needsNpm =
    prestart !== undefined || poststart !== undefined || /npm_(package|config|lifecycle)_/.test(start);
  return needsNpm ? 'npm run --silent start' : start;
}

function procfileLine(folder: string): string | undefined {
  const file = join(folder, 'Procfile');
  if (!existsSync(file)) return undefined;
  return /^web:[ \t]*(\S.*)$/m.exec(readFileSync(file, 'utf8'))?.[1]?.trim();
}

/** Words that only the shell itself understands at the start of a line. */
const SHELL_WORDS =
  /^(?:cd|export|set|unset|source|exec|eval|test|ulimit|umask|trap|wait|if|for|while|until|case|time|alias)$/;

/**
 * Lets a plain command take the shell's place: one process less, and what the group's first process does is
 * what the server does. A line that the shell must see through (several commands, an assignment) stays as it
 * is.
 */
export function withExec(line: string): string {
  const first = /^[A-Za-z0-9_./@+-]+(?=\s|$)/.exec(line)?.[0];
  const plain = first !== undefined && first !== '.' && !SHELL_WORDS.test(first) && !/[;&|()`\n]/.test(line);
  return plain ? `exec ${line}` : line;
}

/**
 * Chooses how to start the agent server in an unpacked artifact: `start` of package.json, else the `web` line
 * of a Procfile. Throws `NoCommandError` when there is neither.
 */
export function commandFor(
  artifactFolder: string,
  spec: Pick<DeploySpec, 'graph_config_path'>,
): ServerCommand {
  const cwd = projectFolder(artifactFolder, spec.graph_config_path);
  const rest = { cwd, toolFolders: toolFolders(cwd, artifactFolder) };
  const script = npmLine(readScripts(cwd));
  if (script !== undefined)
    return { ...rest, line: withExec(script), from: 'the start script of package.json' };
  const web = procfileLine(cwd);
  if (web !== undefined) return { ...rest, line: withExec(web), from: 'the web line of the Procfile' };
  throw new NoCommandError(
    'There is nothing to start: no "start" script in package.json and no "web:" line in a Procfile.',
  );
}
