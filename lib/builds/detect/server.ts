import type { SourceFiles } from './source-files.ts';

/** What a detector sees. */
export type Look = {
  files: SourceFiles;
  /** The folder that is built, from the root of the source; `.` is the root. */
  folder: string;
  /** The programs that are there where the project is built, such as `npm` or `go`. */
  tools: ReadonlySet<string>;
};

/** A server that was found in a source. */
export type Server = {
  /** What the source is taken for: `a FastAPI app`. */
  what: string;
  /** The file that says so, from the project's folder. */
  file: string;
  /** How it is started: a line of shell, with PORT and HOST set. */
  line: string;
  /** The client's own line, which is run in place of `line`. */
  command?: string;
  /** Whether `line` is the client's own too, for the source says of none. */
  isGiven?: boolean;
  /** What is started, for logs. */
  from: string;
  /** Whether the packages of package.json are installed, and its build script run. */
  packages?: boolean;
  /**
   * Python dependencies are installed into an environment; `adds` is a package that the line needs, in case
   * the project does not bring it.
   */
  python?: { adds?: string };
  /** What builds it, unless build_command does. */
  build?: string;
  /** A file that must be there after the build, from the project's folder. */
  makes?: string;
};

/** A row of the table of kinds. */
export type ServerKind = {
  /** For people: the files that make a source one of this kind. */
  looksFor: string;
  /** `refused` is a reason not to build what is of this kind. */
  find: (look: Look) => Server | { refused: string } | undefined;
};
