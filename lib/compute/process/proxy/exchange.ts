import type { Traffic } from './traffic.ts';

/** The status of a request whose client left before there was an answer, as access logs of proxies have it. */
const CLIENT_GONE = 499;

/**
 * One request on its way through the proxy, for the counts of the revision that answers it. Its latency is
 * the time from its arrival here until the head of its answer, waiting for a server included. A body may be a
 * stream that somebody watches for an hour, so its end says nothing about the server.
 */
export class Exchange {
  readonly #began = performance.now();
  #traffic: Traffic | undefined;
  #isAnswered = false;
  #isStream = false;
  #isFailed = false;
  #isOver = false;

  constructor(traffic: Traffic | undefined) {
    this.goTo(traffic);
  }

  /** From now on it is this revision's; undefined: nobody's yet. */
  goTo(traffic: Traffic | undefined): void {
    if (this.#isOver || this.#traffic === traffic) return;
    this.#traffic?.leave();
    this.#traffic = traffic;
    traffic?.enter();
  }

  /** The head of an answer goes to the client. */
  answered(status: number, isStream = false): void {
    if (this.#isOver || this.#isAnswered) return;
    this.#isAnswered = true;
    if (status >= 500) this.failed();
    this.#traffic?.answered(status, performance.now() - this.#began);
    if (!isStream) return;
    this.#isStream = true;
    this.#traffic?.openStream();
  }

  /** The server has failed it: by a status from 500 on, or because it broke its answer off. */
  failed(): void {
    if (this.#isOver || this.#isFailed) return;
    this.#isFailed = true;
    this.#traffic?.failed();
  }

  /** So many bytes of the client's body. */
  received(bytes: number): void {
    this.#traffic?.received(bytes);
  }

  /** So many bytes of the server's body. */
  sent(bytes: number): void {
    this.#traffic?.sent(bytes);
  }

  /** Nothing more is sent, whoever has ended it. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#isAnswered) this.#traffic?.answered(CLIENT_GONE, undefined);
    if (this.#isStream) this.#traffic?.closeStream();
    this.#traffic?.leave();
  }
}
