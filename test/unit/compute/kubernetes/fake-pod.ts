import { EventEmitter, once } from 'node:events';
import type { V1Pod } from '@kubernetes/client-node';
import { Refused } from '../../../../lib/compute/kubernetes/api-server.ts';
import { labels } from '../../../../lib/compute/kubernetes/render/names.ts';

type FakeRun = { lines: string[]; endedAt?: string };
type Query = Record<string, string | undefined>;

const secondOf = (stamped: string) => Math.floor(Date.parse(stamped) / 1000) * 1000;

/** A pod whose log is read as the API server and a kubelet give it; the test is its container. */
export class FakePod {
  readonly requests: Query[] = [];
  reads = 0;
  isThere = true;
  /** The kubelet answers no more; what it has comes later. */
  isDown = false;
  #runs: FakeRun[] = [];
  #version = 1;
  #connection = new AbortController();
  readonly #events = new EventEmitter();
  readonly #own: Record<string, string>;

  constructor(own: Record<string, string>) {
    this.#own = own;
    this.start();
  }

  /** As watches tell. */
  get pod(): V1Pod {
    const current = this.#runs.at(-1);
    const before = this.#runs.at(-2);
    const container = this.#own[labels.component];
    const terminated = (run: FakeRun) => ({ terminated: { exitCode: 1, finishedAt: run.endedAt } });
    const status = {
      name: container,
      restartCount: this.#runs.length - 1,
      state: current?.endedAt === undefined ? { running: {} } : terminated(current),
      ...(before !== undefined && { lastState: terminated(before) }),
    };
    const metadata = { name: 'agent-1', namespace: 'agents', uid: 'u1', labels: this.#own };
    const versioned = { ...metadata, resourceVersion: String(this.#version) };
    const json = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: versioned,
      status: { containerStatuses: [status] },
    };
    // As the API server's JSON has it: times are texts.
    return JSON.parse(JSON.stringify(json));
  }

  /** A line as the kubelet gives it, its time first. */
  write(...lines: string[]): void {
    this.#runs.at(-1)?.lines.push(...lines.map((line) => `${line}\n`));
    this.#events.emit('more');
  }

  /** Something that is not a whole line yet. */
  writePart(text: string): void {
    this.#runs.at(-1)?.lines.push(text);
    this.#events.emit('more');
  }

  start(): void {
    this.#runs.push({ lines: [] });
    this.#version += 1;
  }

  end(at: string): void {
    const run = this.#runs.at(-1);
    if (run !== undefined) run.endedAt = `${at.slice(0, 19)}Z`;
    this.#version += 1;
    this.#events.emit('more');
  }

  /** The connections break. */
  drop(): void {
    this.#connection.abort(new Error('the connection was reset'));
    this.#connection = new AbortController();
  }

  read = async (): Promise<V1Pod | undefined> => {
    this.reads += 1;
    if (this.isDown) throw new Error('connection refused');
    return this.isThere ? this.pod : undefined;
  };

  stream = async (query: Query, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> => {
    this.requests.push(query);
    if (this.isDown) throw new Error('connection refused');
    const run = this.#runs.at(query.previous === 'true' ? -2 : -1);
    if (run === undefined) throw new Refused(400, 'previous terminated container not found');
    return this.#read(run, query, AbortSignal.any([signal, this.#connection.signal]));
  };

  async *#read(run: FakeRun, query: Query, broken: AbortSignal): AsyncGenerator<Uint8Array> {
    for (let at = 0; ; at += 1) {
      const line = run.lines[at];
      if (line === undefined) {
        if (query.follow !== 'true' || run.endedAt !== undefined) return;
        await once(this.#events, 'more', { signal: broken });
        at -= 1;
      } else if (query.sinceTime === undefined || Date.parse(stampOf(line)) >= secondOf(query.sinceTime)) {
        broken.throwIfAborted();
        yield Buffer.from(line);
      }
    }
  }
}

/** A part of a line has the time of its beginning, or none. */
const stampOf = (line: string): string => /^\S+Z/.exec(line)?.[0] ?? '9999-01-01T00:00:00Z';
