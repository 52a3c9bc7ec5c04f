import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Stands between a listener and the control plane: counts what is asked, and may be away. */
export class ControlPlaneProxy {
  /** What was asked, as `POST /v2/…`, with `…` for ids. */
  readonly asked: string[] = [];
  /** So many connections were refused. */
  refused = 0;
  #isAway = false;
  readonly #target: URL;
  readonly #server = createServer((incoming, outgoing) => this.#pass(incoming, outgoing));

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server.on('connection', (socket) => {
      if (!this.#isAway) return;
      this.refused += 1;
      socket.destroy();
    });
  }

  static async open(target: string): Promise<ControlPlaneProxy> {
    const proxy = new ControlPlaneProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  goAway(): void {
    this.#isAway = true;
    this.#server.closeAllConnections();
  }

  comeBack(): void {
    this.#isAway = false;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = '', url: path = '', headers } = incoming;
    this.asked.push(`${method} ${path.split('?', 1)[0]?.replaceAll(ID, '…')}`);
    const { hostname: host, port } = this.#target;
    const passed = request({ host, port, method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.on('error', () => outgoing.destroy());
      response.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  }
}
