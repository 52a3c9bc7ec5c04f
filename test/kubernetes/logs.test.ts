import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectApi, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { openApiProxy, type Proxy } from './proxy.ts';
import type { Cluster } from './start-cluster.ts';
import { type RunningListener, World } from './world.ts';

const TICK_MS = 50;

/**
 * Stands between listeners and the API server, and answers for the logs of pods as a node would: every one is
 * that of one server, which writes a numbered line each moment.
 */
class LogNode {
  readonly kubeconfig: string;
  readonly requests: URLSearchParams[] = [];
  readonly #proxy: Proxy;
  readonly #followers = new Set<ServerResponse>();
  readonly #lines: { at: number; line: string }[] = [];
  readonly #ticking: NodeJS.Timeout;

  private constructor(proxy: Proxy & { kubeconfig: string }) {
    this.kubeconfig = proxy.kubeconfig;
    this.#proxy = proxy;
    this.#ticking = setInterval(() => this.#write(), TICK_MS);
  }

  static async open(cluster: Cluster): Promise<LogNode> {
    const proxy = await openApiProxy(cluster, {
      before: ({ path }, outgoing) => {
        if (!/\/pods\/[^/]+\/log\?/.test(path)) return undefined;
        node.#answer(path, outgoing);
        return 'answered';
      },
    });
    const node = new LogNode(proxy);
    return node;
  }

  /** What the server has written. */
  get written(): number {
    return this.#lines.length;
  }

  /** Breaks the connections on which logs are followed. */
  drop(): void {
    for (const follower of this.#followers) follower.destroy();
  }

  async close(): Promise<void> {
    clearInterval(this.#ticking);
    await this.#proxy.close();
  }

  #write(): void {
    const at = Date.now();
    const stamp = new Date(at).toISOString().replace('Z', '000000Z');
    this.#lines.push({ at, line: `${stamp} tick ${this.#lines.length + 1} of a secret greeting\n` });
    for (const follower of this.#followers) follower.write(this.#lines.at(-1)?.line);
  }

  #answer(path: string, outgoing: ServerResponse): void {
    const { searchParams } = new URL(path, 'https://node');
    this.requests.push(searchParams);
    const since = searchParams.get('sinceTime');
    outgoing.writeHead(200, { 'content-type': 'text/plain' });
    const from = since === null ? 0 : Math.floor(Date.parse(since) / 1000) * 1000;
    for (const { at, line } of this.#lines) if (at >= from) outgoing.write(line);
    this.#followers.add(outgoing);
    outgoing.on('close', () => this.#followers.delete(outgoing));
  }
}

type Line = { message: string; timestamp: string };

let world: World;
let node: LogNode;
let made: ShownDeployment;
let listener: RunningListener;

beforeAll(async () => {
  world = await World.open();
  node = await LogNode.open(world.cluster);
  listener = world.listen(node.kubeconfig);
  made = await world.deploy('talker', 'example.test/agent:1', {
    secrets: [{ name: 'GREETING', value: 'a secret greeting' }],
  });
  await world.deployed(made);
});

afterAll(async () => {
  await listener.stop();
  await node.close();
  await world.close();
});

/** The numbers of the lines that were shipped. */
async function ticks(): Promise<number[]> {
  const lines: Line[] = [];
  let offset: string | null = null;
  for (;;) {
    const path = `/v1/projects/${made.id}/revisions/${made.latest_revision_id}/deploy_logs`;
    const page: { logs: Line[]; next_offset: string | null } = await expectApi(
      world.program,
      'POST',
      path,
      { order: 'asc', limit: 1000, ...(offset !== null && { offset }) },
      200,
    );
    lines.push(...page.logs);
    if (page.logs.length === 0) break;
    offset = page.next_offset;
  }
  const said = lines.map(({ message }) => message).filter((message) => message.startsWith('tick'));
  for (const message of said) expect(message).toMatch(/^tick \d+ of \*\*\*$/);
  return said.map((message) => Number(message.split(' ')[1]));
}

/** Waits until all that is written now is shipped. */
async function shipped(): Promise<number[]> {
  const written = node.written;
  return until(
    async () => {
      const found = await ticks();
      return Math.max(0, ...found) >= written && found;
    },
    { what: () => `line ${written}; ${listener.output()}` },
  );
}

const counted = (to: number) => Array.from({ length: to }, (_, index) => index + 1);

describe('what a server in a cluster writes', () => {
  it('is shipped, each line once, also when connections break', async () => {
    await shipped();
    for (let n = 0; n < 3; n += 1) {
      node.drop();
      const found = await shipped();
      expect(found).toEqual(counted(found.length));
    }
    expect(node.requests.length).toBeLessThan(12);
  });

  it('has no gaps after a restart of the listener', async () => {
    for (const end of ['stop', 'kill'] as const) {
      await shipped();
      await listener[end]();
      listener = world.listen(node.kubeconfig);
      const found = await shipped();
      // What was written shortly before the end may come twice.
      expect([...new Set(found)].toSorted((a, b) => a - b)).toEqual(counted(Math.max(...found)));
    }
  });
});
