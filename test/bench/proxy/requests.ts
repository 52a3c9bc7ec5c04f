import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from '../table.ts';

/** So many events one stream has. */
export const EVENTS = 1_000;

const MILLISECONDS = 1000;

export type Where = { port: number; path: string };

/**
 * One connection that asks the same again and again. It reads no more of an answer than where it ends, so
 * that it takes little of the machine that is measured.
 */
class Asking {
  readonly #socket: Socket;
  readonly #request: string;
  #buffered: Buffer = Buffer.alloc(0);
  /** Bytes of the answer that are still to come; undefined: its head is, negative: it ends with its last chunk. */
  #left: number | undefined;
  #done: () => void = () => undefined;
  #failed: (error: Error) => void = () => undefined;

  constructor(socket: Socket, path: string) {
    this.#socket = socket;
    this.#request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    socket.on('data', (part: Buffer) => this.#take(part));
    socket.on('error', (error) => this.#failed(error));
    socket.on('close', () => this.#failed(new Error('The connection was closed.')));
  }

  static async open({ port, path }: Where): Promise<Asking> {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    await once(socket, 'connect');
    return new Asking(socket, path);
  }

  /** Resolves when the whole answer is here. */
  ask(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#failed = reject;
      this.#left = undefined;
      this.#buffered = Buffer.alloc(0);
      this.#socket.write(this.#request);
    });
  }

  close(): void {
    this.#failed = () => undefined;
    this.#socket.destroy();
  }

  #take(part: Buffer): void {
    if (this.#left === undefined) return this.#takeHead(part);
    if (this.#left > 0) this.#left -= part.length;
    this.#look(part);
  }

  #takeHead(part: Buffer): void {
    this.#buffered = this.#buffered.length === 0 ? part : Buffer.concat([this.#buffered, part]);
    const end = this.#buffered.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.#buffered.subarray(0, end).toString('latin1');
    if (!head.startsWith('HTTP/1.1 200')) return this.#failed(new Error(head.split('\r\n', 1)[0]));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    const rest = this.#buffered.subarray(end + 4);
    this.#left = length === undefined ? -1 : Number(length) - rest.length;
    this.#look(rest);
  }

  #look(part: Buffer): void {
    if (this.#left === 0) return this.#done();
    if ((this.#left ?? 0) > 0) return;
    // The last chunk may come in pieces.
    this.#buffered = part.length >= 7 ? part : Buffer.concat([this.#buffered.subarray(-7), part]);
    if (this.#buffered.subarray(-7).toString('latin1') === '\r\n0\r\n\r\n') this.#done();
  }
}

/** Answers with so many connections that ask again at once: how many a second, and all of them. */
export async function perSecond(
  where: Where,
  connections: number,
  seconds: number,
): Promise<{ perSecond: number; all: number }> {
  const all = await Promise.all(Array.from({ length: connections }, () => Asking.open(where)));
  // What runs for the first time is compiled first.
  const begin = performance.now() + MILLISECONDS;
  const end = begin + seconds * MILLISECONDS;
  let answered = 0;
  let count = 0;
  const work = async (one: Asking) => {
    while (performance.now() < end) {
      await one.ask();
      const now = performance.now();
      count += 1;
      if (now >= begin && now < end) answered += 1;
    }
    one.close();
  };
  await Promise.all(all.map(work));
  return { perSecond: answered / seconds, all: count };
}

/** The time in milliseconds that 99 of 100 answers took, at so many requests a second. */
export async function slowest(where: Where, each: number, seconds: number): Promise<number> {
  const idle = await Promise.all(Array.from({ length: 20 }, () => Asking.open(where)));
  const taken: Promise<number>[] = [];
  const begin = performance.now();
  const count = each * seconds;
  const one = async (due: number): Promise<number> => {
    const asking = idle.pop() ?? (await Asking.open(where));
    await asking.ask();
    idle.push(asking);
    // From when it was due: one that had to wait for this program waited too.
    return performance.now() - due;
  };
  for (let sent = 0; sent < count; ) {
    const due = begin + (sent * MILLISECONDS) / each;
    await delay(Math.max(0, due - performance.now()));
    taken.push(one(due));
    sent += 1;
  }
  const all = await Promise.all(taken);
  for (const asking of idle) asking.close();
  return quantile(all, 0.99);
}

/** The milliseconds that 99 of 100 events took on their way, at so many a second on one stream. */
export async function slowestEvent({ port, path }: Where, each: number, seconds: number): Promise<number> {
  const taken: number[] = [];
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  socket.write(`GET ${path}/times/${each} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  socket.on('data', (part: Buffer) => {
    const now = performance.timeOrigin + performance.now();
    for (const [, sent] of part.toString('latin1').matchAll(/data: ([\d.]+)\n/g))
      taken.push(now - Number(sent));
  });
  await delay(seconds * MILLISECONDS);
  socket.destroy();
  return quantile(taken, 0.99);
}

/** Streams that are open and silent; the answer closes them. */
export async function idleStreams({ port, path }: Where, count: number): Promise<() => void> {
  const sockets: Socket[] = [];
  const opened = async () => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.write(`GET ${path}/idle HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await once(socket, 'data');
  };
  while (sockets.length < count) await Promise.all(Array.from({ length: 50 }, opened));
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}
