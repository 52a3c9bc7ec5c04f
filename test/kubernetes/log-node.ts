import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const TICK_MS = 50;

/**
 * Stands between listeners and the API server, and answers for the logs of pods as a node would: every one is
 * that of one server, which writes a numbered line each moment.
 */
export class LogNode {
  readonly kubeconfig: string;
  readonly requests: URLSearchParams[] = [];
  readonly #close: () => void;
  readonly #followers = new Set<ServerResponse>();
  readonly #lines: { at: number; line: string }[] = [];
  readonly #ticking: NodeJS.Timeout;

  private constructor(kubeconfig: string, close: () => void) {
    this.kubeconfig = kubeconfig;
    this.#close = close;
    this.#ticking = setInterval(() => this.#write(), TICK_MS);
  }

  static async open(kubeconfig: string, folder: string): Promise<LogNode> {
    const [text, cert, key] = await Promise.all([
      readFile(kubeconfig, 'utf8'),
      readFile(join(folder, 'server.crt')),
      readFile(join(folder, 'server.key')),
    ]);
    const [, server = ''] = /"?server"?: *"?([^\s",]+)/.exec(text) ?? [];
    const target = new URL(server);
    const own = join(folder, 'log-node-kubeconfig');
    const proxying = createServer({ cert, key }, (incoming, outgoing) => {
      const { method, url = '', headers } = incoming;
      if (/\/pods\/[^/]+\/log\?/.test(url)) return node.#answer(incoming, outgoing);
      const options = { host: target.hostname, port: target.port, method, path: url, headers, ca: cert };
      const passed = request(options, (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.on('error', () => outgoing.destroy());
        response.pipe(outgoing);
      });
      passed.on('error', () => outgoing.destroy());
      outgoing.on('close', () => passed.destroy());
      incoming.pipe(passed);
    });
    const node = new LogNode(own, () => (proxying.closeAllConnections(), proxying.close()));
    proxying.listen(0, '127.0.0.1');
    await once(proxying, 'listening');
    const { port } = proxying.address() as AddressInfo;
    await writeFile(own, text.replace(server, `https://127.0.0.1:${port}`));
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

  close(): void {
    clearInterval(this.#ticking);
    this.#close();
  }

  #write(): void {
    const at = Date.now();
    const stamp = new Date(at).toISOString().replace('Z', '000000Z');
    this.#lines.push({ at, line: `${stamp} tick ${this.#lines.length + 1} of a secret greeting\n` });
    for (const follower of this.#followers) follower.write(this.#lines.at(-1)?.line);
  }

  #answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { searchParams } = new URL(incoming.url ?? '', 'https://node');
    this.requests.push(searchParams);
    const since = searchParams.get('sinceTime');
    outgoing.writeHead(200, { 'content-type': 'text/plain' });
    const from = since === null ? 0 : Math.floor(Date.parse(since) / 1000) * 1000;
    for (const { at, line } of this.#lines) if (at >= from) outgoing.write(line);
    this.#followers.add(outgoing);
    outgoing.on('close', () => this.#followers.delete(outgoing));
  }
}
