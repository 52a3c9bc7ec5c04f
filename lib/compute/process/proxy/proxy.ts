import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type HttpRefusal, httpRefusalOf } from '../../../serving/admission.ts';
import { hostNameOf, isLoopbackHost } from '../../../serving/hosts.ts';
import { BODY_SILENCE_MILLISECONDS, BODY_SILENT, endSilentBodies } from '../../../serving/silent-bodies.ts';
import { consoleConsent, consolePreflight } from './cross-origin.ts';
import { type Forwarded, forward, sendAbsence, sendJson } from './forward.ts';
import { ProxyRoute } from './route.ts';
import { forwardUpgrade, isWebSocket, refuseUpgrade } from './upgrade.ts';

/**
 * Longer than the usual idle time of clients and load balancers, so that it is they who close a kept
 * connection.
 */
const CLIENT_KEEP_ALIVE_MILLISECONDS = 75_000;

const WAY_OUT =
  "It does for localhost, for the host of the deployment's own 'custom_url', and for the hosts that the variable SLIPWAY_PUBLIC_HOSTS names.";

/** Its scope would be all paths beside the deployment's: the pages of every other one. */
const WORKER_REFUSED =
  "A service worker's script lies below the address of its deployment: a path with a slash behind the name.";

export type ProxyOptions = {
  port: number;
  /** Like `/d`: a deployment is served below `<prefix>/<name>/`. */
  pathPrefix: string;
  /** Hosts that requests may name beside loopback ones, as `hostNameOf` spells them. None unless given. */
  publicHosts?: readonly string[];
  /** A proxy of the operator's is in front: what a request says of where it came from counts. */
  trustProxy?: boolean;
  /** Where the API is: its console's pages may read what servers answer. None unless given. */
  url?: string;
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
      if ('status' in to) {
        if (to.status === 404) sendAbsence(request, response, to);
        else sendJson(response, to.status, to.detail);
      } else this.#forward(request, response, to).catch(() => response.destroy());
    });
    this.#server.on('upgrade', (request, socket, early) => {
      // Node listens no more, and what nobody listens for would end this process.
      socket.on('error', () => socket.destroy());
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

  /** A preflight of the console is answered here; its other requests are passed on as those of all. */
  async #forward(request: IncomingMessage, response: ServerResponse, to: Forwarded): Promise<void> {
    const consent = consoleConsent(request, this.#options.url);
    const preflight = consent && consolePreflight(request, consent);
    if (preflight === undefined) return forward(request, response, { ...to, consent });
    response.writeHead(204, preflight).end();
    return undefined;
  }

  /** The route and the path behind it, or why there is none. */
  #find(request: IncomingMessage): Forwarded | HttpRefusal {
    const { pathPrefix, publicHosts = [], trustProxy = false } = this.#options;
    const own = this.#ownOf(request);
    const isServed = (host: string) =>
      isLoopbackHost(host) || publicHosts.includes(host) || own?.route.customHost === host;
    const refusal = httpRefusalOf(request, isServed, WAY_OUT);
    if (refusal !== undefined) return refusal;
    const { url = '/' } = request;
    if (own !== undefined) {
      // A proxy of the user's may lead the host to the path of the deployment.
      const { route, ownPath } = own;
      const inner = below(`${pathPrefix}/${route.name}`, url);
      const outer = below(ownPath, url) ?? { path: url, isBare: false };
      const place = inner === undefined ? outer : { path: inner.path, isBare: false };
      return { route, prefix: ownPath, ...place, trustProxy };
    }
    const name = url.startsWith(`${pathPrefix}/`)
      ? /^[^/?#]*/.exec(url.slice(pathPrefix.length + 1))?.[0]
      : undefined;
    if (name === undefined) return { status: 404, detail: 'Not found.' };
    const prefix = `${pathPrefix}/${name}`;
    const route = this.#routes.get(name);
    const place = below(prefix, url);
    if (route === undefined || place === undefined)
      return { status: 404, detail: `Deployment '${name}' is not served here.` };
    if (place.isBare && request.headers['service-worker'] !== undefined)
      return { status: 403, detail: WORKER_REFUSED };
    return { route, prefix, ...place, trustProxy };
  }

  /**
   * The deployment whose own address has the host that is asked for, or whose name it begins with, as in
   * `name.localhost`; one for all deployments is nobody's.
   */
  #ownOf({ headers }: IncomingMessage): { route: ProxyRoute; ownPath: string } | undefined {
    const host = hostNameOf(headers.host ?? '');
    const isForAll =
      host === undefined || isThisMachine(host) || (this.#options.publicHosts ?? []).includes(host);
    if (isForAll) return undefined;
    const claimed = [...this.#routes.values()].find(({ customHost }) => customHost === host);
    if (claimed !== undefined) return { route: claimed, ownPath: claimed.customPath };
    const named = host.endsWith(HERE) ? this.#routes.get(host.slice(0, -HERE.length)) : undefined;
    return named && { route: named, ownPath: '' };
  }
}

/** Browsers, and most programs, take every name that ends so for this machine (RFC 6761 §6.3). */
const HERE = '.localhost';

/** `.localhost` names are as good as any others: one may be a deployment's own. */
const isThisMachine = (host: string): boolean => isLoopbackHost(host) && !host.endsWith('.localhost');

/** What of a request's target lies below a prefix; undefined: it lies elsewhere. */
function below(prefix: string, url: string): { path: string; isBare: boolean } | undefined {
  if (!url.startsWith(prefix)) return undefined;
  const rest = url.slice(prefix.length);
  if (rest.startsWith('/')) return { path: rest, isBare: false };
  return rest === '' || rest.startsWith('?') ? { path: `/${rest}`, isBare: true } : undefined;
}
