import type { AgentServer } from '../contract/revision-status.ts';

/**
 * How a source is built, as data: what is run, what is tried instead, and what must be there afterwards. Both
 * runtimes make it with `planProject` and carry it out with `execute.ts`. Paths are relative to the root of
 * the source; `.` is the root.
 */
export type BuildPlan = {
  language: Language;
  /** What the built project runs as. */
  server: AgentServer;
  /**
   * How the server is started. An agent project is started by its config file; what only commands of the
   * client make is looked for once they have run. `isGiven`: the line is the client's start_command, and the
   * source says of none.
   */
  start?: { line: string; from: string; isGiven?: boolean };
  /** The client's own line, which is run in place of it. */
  startCommand?: string;
  /** The major version of Node.js that a server is built and started with. */
  node?: string;
  /** A line of shell that runs once, when it is built and before it serves. */
  release?: string;
  /** The project's folder: steps run in it unless they name another. */
  folder: string;
  /** Said before anything is run. */
  notes: Note[];
  /** Variables of all steps, besides those of the place where they run. */
  environment: Record<string, string>;
  /** A virtual environment: steps run with its tools first on their PATH, and it is sealed at the end. */
  venv?: { folder: string; python: { version: string; executable: string } };
  install: InstallPart[];
  build: BuildStep;
  /** Whether the client has commands of its own, which may make what is not in the source. */
  ownCommands: boolean;
  /** Slipway's own server runs it, whose worker is put beside it. */
  isDurable?: boolean;
  /** Files that must be there after the build. */
  requires: { path: string; reason: string }[];
};

/** Decides about the image that it is built in: `plain` is everything but Python and agents in JavaScript. */
export type Language = 'plain' | 'javascript' | 'python';

export type Note = { text: string; level: 'INFO' | 'WARNING' };

/** A part of an installation that can be kept as a whole for the next build. */
export type InstallPart = {
  kind: 'packages' | 'agent-server' | 'venv';
  /** The folder that it makes. */
  makes: string;
  /** It is left out when one of these files is there. */
  unless?: string[];
  /** Said when it is not left out. */
  says?: string;
  /** This folder is removed before, and begins with these files. */
  fresh?: { folder: string; files: Record<string, string> };
  steps: BuildStep[];
};

export type BuildStep =
  | { do: 'run'; command: string; folder?: string; fallback?: Fallback }
  | { do: 'skip'; reason: string }
  | { do: 'fail'; reason: string }
  /** Looks at package.json as it is by then: an installation may have written it. */
  | { do: 'script'; name: string; present: BuildStep; absent: BuildStep }
  /**
   * Installs the agent server of Python projects, unless it is there; at the version of its tool, if that is.
   */
  | { do: 'python-server'; version: string }
  /** Installs what the worker of durable agents needs, beside what the project asks for, and says what that changed. */
  | { do: 'durable-worker'; command: string }
  /** Installs a Python package, unless it is there. */
  | { do: 'python-package'; name: string; requirement: string };

/** What is run instead when the first command fails and has printed a line that matches the pattern. */
export type Fallback = { onOutput: string; command: string; reason: string };

/** A word of a shell command. */
export const quote = (text: string): string =>
  /^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
