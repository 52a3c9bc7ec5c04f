/** One of the files that the command line is served as. */
export type CliFileFacts = {
  name: string;
  /** In hex. */
  sha256: string;
  size_bytes: number;
};

/** What there is, as it is written beside the files. */
export type CliManifest = {
  /** The release of the command line. */
  version: string;
  /** A package for npm, whose name holds its hash. */
  package: CliFileFacts;
  /** The program as one file. */
  program: CliFileFacts;
  /** The files of each template. */
  templates: CliFileFacts;
};

/** In the folder of the files, and what it is served as. */
export const MANIFEST_FILE = 'manifest.json';

/** The files that the command line is served as, by their names. */
export type CliFiles = {
  manifest(): Promise<CliManifest>;
  /** Undefined: there is none of that name. */
  read(name: string): Promise<Uint8Array | undefined>;
};
