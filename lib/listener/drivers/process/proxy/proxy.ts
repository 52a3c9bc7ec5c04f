import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type Refusal, refusalOf } from '../../../../serving/admission.ts';
import { isLoopbackHost } from '../../../../serving/hosts.ts';
import {
  BODY_SILENCE_MILLISECONDS,
  BODY_SILENT,
  endSilentBodies,
} from '../../../../serving/silent-bodies.ts';
import { type Forwarded, forward, sendJson } from './forward.ts';
import { ProxyRoute } from './route.ts';
import { forwardUpgrade, isWebSocket, refuseUpgrade } from './upgrade.ts';

/**
 * Longer than the usual idle time of clients and load balancers, so that it is they who close a kept
 * connection.
 */
const CLIENT_KEEP_ALIVE_MILLISECONDS = 75_000;

const WAY_OUT =
  "It does for localhost, for the host of the deployment's own 'custom_url', and for the hosts that the variable SLIPWAY_PUBLIC_HOSTS names.";

export type ProxyOptions = {
  port: number;
  /** Like `/d`: a deployment is served below `<prefix>/<name>/`. */
  pathPrefix: string;
  /** Hosts that requests may name beside loopback ones, as `hostNameOf` spells them. None unless given. */
  publicHosts?: readonly string[];
  /** A proxy of the operator's is in front: what a request says of where it came from counts. */
  trustProxy?: boolean;
  /** A body without a byte for so long is ended. */
  bodySilenceMilliseconds?: number;
};

/** Serves every deployment under one stable address and passes requests on to the server that runs it now. */
export class Proxy {
  readonly #options: ProxyOptions;
  readonly #routes = new Map<string, ProxyRoute>();
  readonly #server: Server;

  constructor(options: ProxyOptions) {
    this.#options = options;
    this.#server = createServer({ shouldUpgradeCallback: isWebSocket }, (request, response) => {
      const to = this.#find(request);
      if ('status' in to) sendJson(response, to.status, to.detail);
      else forward(request, response, to).catch(() => response.destroy());
    });
    this.#server.on('upgrade', (request, socket, early) => {
      const to = this.#find(request);
      if ('status' in to) refuseUpgrade(socket, to.status, to.detail);
      else forwardUpgrade(request, socket, early, to).catch(() => socket.destroy());
    });
    // An upload or a stream may take as long as it takes.
    this.#server.requestTimeout = 0;
    const silence = options.bodySilenceMilliseconds ?? BODY_SILENCE_MILLISECONDS;
    endSilentBodies(this.#server, silence, (response) => sendJson(response, 408, BODY_SILENT));
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
  #find(request: IncomingMessage): Forwarded | Refusal {
    const { pathPrefix, publicHosts = [], trustProxy = false } = this.#options;
    const isServed = (host: string) =>
      isLoopbackHost(host) || publicHosts.includes(host) || this.#place(request).route?.customHost === host;
    const refusal = refusalOf(request, isServed, WAY_OUT);
    if (refusal !== undefined) return refusal;
    const { name, route, path } = this.#place(request);
    if (name === undefined) return { status: 404, detail: 'Not found.' };
    if (route === undefined) return { status: 404, detail: `Deployment '${name}' is not served here.` };
    return { route, prefix: `${pathPrefix}/${name}`, path, trustProxy };
  }

  #place({ url = '/' }: IncomingMessage): { name?: string; route?: ProxyRoute | undefined; path: string } {
    const { pathPrefix } = this.#options;
    if (!url.startsWith(`${pathPrefix}/`)) return { path: url };
    const rest = url.slice(pathPrefix.length + 1);
    const name = /^[^/?#]*/.exec(rest)?.[0] ?? '';
    const path = rest.slice(name.length);
    return { name, route: this.#routes.get(name), path: path.startsWith('/') ? path : `/${path}` };
  }
}
