import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { onTestFinished } from 'vitest';
import { Proxy, type ProxyOptions } from '../../../lib/compute/process/proxy/proxy.ts';
import { ProxyTarget } from '../../../lib/compute/process/proxy/target.ts';

/** A server behind the proxy. */
export async function serve(handler: RequestListener): Promise<{ server: Server; target: ProxyTarget }> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const target = new ProxyTarget({ host: '127.0.0.1', port });
  onTestFinished(() => {
    target.connections.closeFree();
    server.close();
    server.closeAllConnections();
  });
  return { server, target };
}

export async function startProxy(more: Partial<ProxyOptions> = {}) {
  const proxy = new Proxy({ port: 0, pathPrefix: '/d', ...more });
  const port = await proxy.listen();
  proxy.open();
  onTestFinished(() => proxy.close());
  return { proxy, url: (path: string) => `http://127.0.0.1:${port}${path}`, port };
}

/**
 * A proxy whose deployment `app` answers with its requests' lines: what arrives behind, byte for byte as Node
 * has read it.
 */
export async function startEcho(more: Partial<ProxyOptions> = {}) {
  const seen: { url: string | undefined; headers: Record<string, string[] | undefined>; body: string }[] = [];
  const started = await startProxy(more);
  const { target } = await serve(async (incoming, response) => {
    let body = '';
    try {
      for await (const chunk of incoming) body += chunk;
    } catch {
      return; // It was cut off.
    }
    seen.push({ url: incoming.url, headers: incoming.headersDistinct, body });
    response.end('seen');
  });
  started.proxy.route('app').moveTo(target);
  return { ...started, seen };
}
