/** A file of the console, compressed with Brotli. */
export type ConsoleFile = { contentType: 'text/css' | 'text/javascript' | 'font/woff2'; brotli: Buffer };

/** What the page names: its script, its style, and the parts of the script that are wanted at once. */
export type ConsoleEntry = {
  script: string;
  style: string;
  imports: readonly string[];
  /** What passes a session on from tab to tab. */
  sessionWorker: string;
};

/** The console's files by their names, which hold their hashes. */
export type ConsoleFiles = {
  entry(): Promise<ConsoleEntry>;
  /** Undefined: there is none of that name. */
  read(name: string): Promise<ConsoleFile | undefined>;
};
