import type { ServerResponse } from 'node:http';
import { openApiProxy, type Proxy } from './proxy.ts';
import type { Cluster } from './start-cluster.ts';

const TICK_MS = 50;

/**
 * Stands between listeners and the API server, and answers for the logs of pods as a node would: every one is
 * that of one server, which writes a numbered line each moment.
 */
export class LogNode {
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
