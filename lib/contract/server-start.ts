import * as z from 'zod';

/**
 * In an artifact, at its root: how the server in it is started. The build writes it, the listener reads it;
 * agent projects, and artifacts of builds before it, have none.
 */
export const START_FILE = '.slipway-start.json';

export const serverStart = z.object({
  /** The folder that the server runs in, relative to the artifact's root. */
  folder: z.string(),
  /** A line of shell; PORT and HOST are set when it runs. Absent where only start_command starts the server. */
  line: z.string().min(1).optional(),
  /** What it is, for logs: `the web line of the Procfile`. */
  from: z.string(),
  /** A line of shell that runs to its end before the server gets its first request: migrations. */
  release: z.string().min(1).optional(),
  /** A Python environment whose tools come first on PATH, relative to the artifact's root. */
  venv: z.string().optional(),
});
export type ServerStart = z.infer<typeof serverStart>;

/** Why a server is not started whose deployment has taken its start_command away. */
export const NEEDS_START_COMMAND =
  'There is nothing to start: only a start_command starts what was built, and this revision has none. Set source_config.start_command again.';

/** The line that runs the `start` script of a package.json; undefined when there is none. */
export function startScriptLine(scripts: Readonly<Record<string, string>>): string | undefined {
  const { start, prestart, poststart } = scripts;
  if (start === undefined || start.trim() === '') return undefined;
  // The script in a shell of ours is one process where npm makes three, and signals reach the server at once.
  // npm itself is needed only for what it alone does.
  const needsNpm =
    prestart !== undefined || poststart !== undefined || /npm_(package|config|lifecycle)_/.test(start);
  return needsNpm ? 'npm run --silent start' : start;
}

const PROCFILE_LINES = { web: /^web:[ \t]*(\S.*)$/m, release: /^release:[ \t]*(\S.*)$/m } as const;

/** The command of this process of a Procfile; undefined when there is none. */
export const procfileLine = (procfile: string, name: keyof typeof PROCFILE_LINES): string | undefined =>
  PROCFILE_LINES[name].exec(procfile)?.[1]?.trim();
