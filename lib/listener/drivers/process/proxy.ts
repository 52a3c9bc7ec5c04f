import { createServer, type Server } from 'node:http';
import { type Forwarded, forward, sendJson } from './proxy-forward.ts';
import { ProxyRoute } from './proxy-route.ts';
import { forwardUpgrade, refuseUpgrade } from './proxy-upgrade.ts';

/** Longer than the usual idle time of clients and load balancers, so that it is they who close a kept connection. */
const CLIENT_KEEP_ALIVE_MILLISECONDS = 75_000;

export type ProxyOptions = {
  port: number;
  /** Like `/d`: a deployment is served below `<prefix>/<name>/`. */
  pathPrefix: string;
};

/** Serves every deployment under one stable address and passes requests on to the server that runs it now. */
export class Proxy {
  readonly #options: ProxyOptions;
  readonly #routes = new Map<string, ProxyRoute>();
  readonly #server: Server;

  constructor(options: ProxyOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      const to = this.#find(request.url ?? '/');
      if (typeof to === 'string') sendJson(response, 404, to);
      else forward(request, response, to).catch(() => response.destroy());
    });
    this.#server.on('upgrade', (request, socket, early) => {
      const to = this.#find(request.url ?? '/');
      if (typeof to === 'string') refuseUpgrade(socket, 404, to);
      else forwardUpgrade(request, socket, early, to).catch(() => socket.destroy());
    });
    // An upload or a stream may take as long as it takes.
    this.#server.requestTimeout = 0;
    this.#server.keepAliveTimeout = CLIENT_KEEP_ALIVE_MILLISECONDS;
  }

  /** Listens on the loopback interface; resolves with the port. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#options.port, '127.0.0.1', () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : this.#options.port);
      });
    });
  }

  /** The route of a deployment, made when it is first asked for. */
  route(name: string): ProxyRoute {
    const route = this.#routes.get(name) ?? new ProxyRoute(name);
    this.#routes.set(name, route);
    return route;
  }

  remove(route: ProxyRoute): void {
    if (this.#routes.get(route.name) === route) this.#routes.delete(route.name);
    route.close();
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** The route and the path behind it, or why there is none. */
  #find(url: string): Forwarded | string {
    const { pathPrefix } = this.#options;
    if (!url.startsWith(`${pathPrefix}/`)) return 'Not found.';
    const rest = url.slice(pathPrefix.length + 1);
    const name = /^[^/?#]*/.exec(rest)?.[0] ?? '';
    const route = this.#routes.get(name);
    if (route === undefined) return `Deployment '${name}' is not served here.`;
    const path = rest.slice(name.length);
    return { route, prefix: `${pathPrefix}/${name}`, path: path.startsWith('/') ? path : `/${path}` };
  }
}
