/** A stream that is written to: a terminal, or a file or pipe. */
export type Sink = { isTerminal: boolean; write(text: string): void };

/** What commands need of the machine; tests give their own. */
export type World = {
  environment: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  cwd: string;
  home: string;
  /** What this machine is called. */
  host: string;
  /** The user's number; undefined where there is none (Windows). */
  userId: number | undefined;
  stdout: Sink;
  stderr: Sink;
  stdin: {
    isTerminal: boolean;
    /** All that comes until its end. */
    text(): Promise<string>;
    /** One typed line, after a question; undefined: there are no more. `isHidden`: what is typed is not shown. */
    line(question: string, isHidden?: boolean): Promise<string | undefined>;
  };
  /** Aborts when the person ends the command (Ctrl-C). */
  signal: AbortSignal;
  /** Epoch milliseconds. */
  now(): number;
  fetch: typeof fetch;
  /** Opens an address in the person's browser. */
  openBrowser(url: string): Promise<void>;
  /** The file of this program, or a link to it. */
  program: string;
  /** Of this program. */
  version: string;
};
