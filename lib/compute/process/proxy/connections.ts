import { isIPv6 } from 'node:net';
import { Client } from 'undici';
import type { Listening } from '../../../processes/table/listening.ts';

/** An answer of an agent, and its stream of events, may take as long as they take. */
const NO_LIMIT = 0;

/**
 * Connections to one server that are kept from one request to the next. Each carries one request at a time,
 * so that none waits for another.
 */
export class Connections {
  readonly #origin: string;
  /** The one that was used last is used first, so that the others end by themselves. */
  readonly #free: Client[] = [];

  constructor({ host, port }: Pick<Listening, 'host' | 'port'>) {
    this.#origin = `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  }

  /** How many wait for a request. */
  get free(): number {
    return this.#free.length;
  }

  /** One that nobody uses. It is the caller's until `giveBack` or its end. */
  take(): Client {
    return this.#free.pop() ?? this.#open();
  }

  /** Its answer is whole. */
  giveBack(client: Client): void {
    if (!client.destroyed && client.stats.connected) this.#free.push(client);
  }

  /** Closes those that wait for a request. */
  closeFree(): void {
    for (const client of this.#free.splice(0)) void client.destroy();
  }

  #open(): Client {
    const client = new Client(this.#origin, {
      allowH2: false,
      bodyTimeout: NO_LIMIT,
      headersTimeout: NO_LIMIT,
      connectTimeout: NO_LIMIT,
    });
    client.on('disconnect', () => {
      const at = this.#free.lastIndexOf(client);
      if (at >= 0) this.#free.splice(at, 1);
    });
    return client;
  }
}
