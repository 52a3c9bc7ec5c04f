import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, request as secureRequest } from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { onLoopback } from '../support/http/loopback-server.ts';
import type { Cluster } from './start-cluster.ts';

export type Passing = { method: string; path: string; body: string };
type Rules = {
  /** Sees each request before it goes on. `answered`: it does not, for it has its answer. */
  before?: (passing: Passing, outgoing: ServerResponse) => Answered | Promise<Answered>;
  /** What was answered to a request that went on. */
  after?: (passing: Passing, status: number) => void;
};
type Answered = 'answered' | void;

export type Proxy = {
  url: string;
  /** Breaks every connection. */
  drop(): void;
  close(): Promise<void>;
};

/** Stands before a server, and passes on what the rules let through. */
export async function openProxy(
  target: string,
  { before, after }: Rules,
  tls?: { cert: Buffer; key: Buffer },
): Promise<Proxy> {
  const send = tls === undefined ? request : secureRequest;
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const body = await buffer(incoming);
    const passing = { method, path, body: body.toString() };
    if ((await before?.(passing, outgoing)) === 'answered') return;
    const { host: _, ...others } = headers;
    const passed = send(
      target + path,
      { method, headers: others, ...(tls && { ca: tls.cert }) },
      (answer) => {
        after?.(passing, answer.statusCode ?? 0);
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        // A watch without news has nothing else to say.
        outgoing.flushHeaders();
        answer.on('error', () => outgoing.destroy());
        answer.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    passed.end(body);
  };
  const take = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    void pass(incoming, outgoing).catch(() => outgoing.destroy());
  const server = tls === undefined ? createServer(take) : createSecureServer(tls, take);
  const { url, close } = await onLoopback(server);
  return {
    url: tls === undefined ? url : url.replace('http:', 'https:'),
    drop: () => server.closeAllConnections(),
    close,
  };
}

/** Stands before the API server of a cluster; who uses this kubeconfig goes through it. */
export async function openApiProxy(
  { kubeconfig, folder }: Cluster,
  rules: Rules,
): Promise<Proxy & { kubeconfig: string }> {
  const [text, cert, key] = await Promise.all([
    readFile(kubeconfig, 'utf8'),
    readFile(join(folder, 'server.crt')),
    readFile(join(folder, 'server.key')),
  ]);
  const [, server = ''] = /"?server"?: *"?([^\s",]+)/.exec(text) ?? [];
  const proxy = await openProxy(server, rules, { cert, key });
  const own = join(folder, 'proxied-kubeconfig');
  await writeFile(own, text.replace(server, proxy.url));
  return { ...proxy, kubeconfig: own };
}
