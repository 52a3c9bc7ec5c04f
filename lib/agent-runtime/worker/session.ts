import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import * as z from 'zod';
import { type Frame, FrameReader, frame } from './frames.ts';

export type WorkerCommand = {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How often the worker's loop is asked for a sign of life. */
  readonly pingEveryMs: number;
  /** A worker that gives none for so long is killed: a graph blocks it. */
  readonly silentMsMax: number;
  /** A line for operators. */
  readonly say: (text: string) => void;
};

/**
 * The versions of the protocol that this server speaks. A worker lives in its artifact, which may be a year
 * old: one that was shipped is spoken for a year after the last release that had it.
 */
export const PROTOCOLS: readonly number[] = [1];

/** Of any version. */
const anyHello = z.looseObject({ v: z.int() });

const helloFields = z.object({
  v: z.int(),
  language: z.enum(['python', 'javascript']),
  langgraph: z.string(),
  graphs: z.record(
    z.string(),
    z.object({ nodes: z.array(z.string()).nullable(), varies: z.boolean().default(false) }),
  ),
  auth: z.boolean(),
  drains: z.boolean(),
  lacks: z.array(z.string()),
  /** `http.cors` of langgraph.json. */
  cors: z
    .object({
      allow_origins: z.array(z.string()),
      allow_methods: z.array(z.string()),
      allow_headers: z.array(z.string()),
      allow_credentials: z.boolean(),
      expose_headers: z.array(z.string()),
      max_age: z.number(),
    })
    .partial(),
});

/** What a worker says of itself when it has loaded its graphs. */
export type Hello = z.infer<typeof helloFields>;

/** The worker's process has ended before it has answered. */
export class WorkerLostError extends Error {
  override readonly name = 'WorkerLostError';
}

class UnknownProtocolError extends Error {}

function helloOf(header: unknown): Hello {
  const { v } = anyHello.parse(header);
  if (!PROTOCOLS.includes(v))
    throw new UnknownProtocolError(
      `it speaks version ${v} of the protocol, and this server ${PROTOCOLS.join(', ')}: build the revision again, or update what runs it`,
    );
  return helloFields.parse(header);
}

type Open = { readonly onFrame: (frame: Frame) => void; readonly onLost: (reason: string) => void };

/** One process of a worker, from its start to its end, and what is asked of it. */
export class WorkerSession {
  /** Rejects with a WorkerLostError if the process ends before. */
  readonly hello: Promise<Hello>;
  /** Why the process has ended. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #socket: Socket;
  readonly #reader = new FrameReader();
  readonly #open = new Map<number, Open>();
  readonly #greeted = Promise.withResolvers<Hello>();
  #lastId = 0;
  #killedFor: string | undefined;

  constructor(command: WorkerCommand) {
    this.#child = spawn(command.program, command.args, {
      cwd: command.cwd,
      env: command.environment,
      // Not detached: who kills the server's process group kills the worker too.
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- A pipe of `stdio` is a socket, both ways.
    this.#socket = this.#child.stdio[3] as unknown as Socket;
    this.#socket.on('data', (bytes: Buffer) => this.#read(bytes));
    this.#socket.on('error', () => {});
    this.hello = this.#greeted.promise;
    this.hello.catch(() => {});
    this.ended = this.#end();
    // While it loads its graphs it answers nothing.
    this.hello.then(
      () => this.#watch(command),
      () => {},
    );
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Asks something. `onFrame` gets what comes back, until `close` is called with the id. */
  open(op: string, args: string, open: Open): number {
    const id = ++this.#lastId;
    this.#open.set(id, open);
    this.#socket.write(frame({ id, op }, args));
    return id;
  }

  /** Stops or drains what was opened. */
  signal(id: number, op: 'cancel' | 'drain'): void {
    if (this.#open.has(id)) this.#socket.write(frame({ id, op }));
  }

  close(id: number): void {
    this.#open.delete(id);
  }

  kill(reason: string): void {
    this.#killedFor ??= reason;
    this.#child.kill('SIGKILL');
  }

  #read(bytes: Buffer): void {
    try {
      for (const one of this.#reader.push(bytes)) {
        if (one.header.e === 'hello') this.#greeted.resolve(helloOf(one.header));
        else if (one.header.id !== undefined) this.#open.get(one.header.id)?.onFrame(one);
      }
    } catch (error) {
      this.kill(
        error instanceof UnknownProtocolError
          ? error.message
          : `it sent what cannot be read: ${String(error)}`,
      );
    }
  }

  async #end(): Promise<string> {
    const reason = await new Promise<string>((resolve) => {
      this.#child.once('error', (error) => resolve(`it did not start: ${error.message}`));
      this.#child.once('exit', (code, signal) => {
        resolve(signal === null ? `its process ended with ${code}` : `its process was ended by ${signal}`);
      });
    });
    const why = this.#killedFor ?? reason;
    this.#socket.destroy();
    this.#greeted.reject(new WorkerLostError(why));
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const one of open) one.onLost(why);
    return why;
  }

  /** A loop that a graph blocks answers nothing; whoever waits for it would wait for ever. */
  #watch({ pingEveryMs, silentMsMax }: WorkerCommand): void {
    let waiting = false;
    let answeredAt = Date.now();
    const timer = setInterval(() => {
      if (waiting && Date.now() - answeredAt > silentMsMax)
        this.kill(`it gave no sign of life for ${silentMsMax / 1000} s`);
      if (waiting) return;
      waiting = true;
      const id = this.open('ping', '', {
        onFrame: () => {
          waiting = false;
          answeredAt = Date.now();
          this.close(id);
        },
        onLost: () => {},
      });
    }, pingEveryMs);
    void this.ended.then(() => clearInterval(timer));
  }
}
