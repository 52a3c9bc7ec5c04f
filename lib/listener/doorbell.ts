import { WebSocket } from 'ws';
import { jittered, messageOf, type Pause } from './backoff.ts';
import type { Log } from './log.ts';

/** Where a claim says that a socket may be opened, and whether the control plane rings at ours. */
type Offer = { url: string; rings: boolean } | undefined;

type Parts = {
  /** The address of the listener's own routes. */
  base: string;
  apiKey: string;
  log: Log;
  pause: Pause;
  /** There may be something to claim, or the socket has opened or closed: how soon to ask again has changed. */
  onRing: () => void;
};

/**
 * Reconnects are spread over as much as a minute: after an outage of the gateway ten thousand listeners come
 * back together. Meanwhile they ask as often as without a doorbell.
 */
const RETRY_BASE_MILLISECONDS = 1_000;
const RETRY_CAP_MILLISECONDS = 60_000;
/** A socket that held so long was good: what closed it (every two hours the gateway does) is no failure. */
const STEADY_MILLISECONDS = 60_000;
const HANDSHAKE_MILLISECONDS = 15_000;
/** The gateway closes a socket over which nothing was sent for ten minutes. Nothing answers. */
const PING_MILLISECONDS = 480_000;
/** The kernel finds out within a minute when the other side is gone without a word, and closes the socket. */
const KEEP_ALIVE_MILLISECONDS = 30_000;
/** Nothing that we expect is longer; neither is what we send. */
const MESSAGE_BYTES_MAX = 4_096;
const PING = JSON.stringify({ type: 'ping' });

/**
 * Holds a socket over which the control plane says that there may be something to claim: nothing else, and
 * nothing of it is believed but that. While it is not open the listener asks as often as it is told.
 */
export class Doorbell {
  readonly #parts: Parts;
  #socket: WebSocket | undefined;
  #url: string | undefined;
  #offered = Promise.withResolvers<void>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The socket is open: a claim may say so. */
  isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** What a claim was answered; `saidOpen`: the claim had said that the socket is open. */
  learned(offer: Offer, saidOpen: boolean): void {
    this.#url = offer && addressOf(offer.url, this.#parts.base);
    if (this.#url !== undefined) this.#offered.resolve();
    // The control plane does not know it any more, so it never rings.
    if (saidOpen && offer?.rings !== true) this.#socket?.terminate();
  }

  /** Keeps a socket open, as long as one is offered. */
  async run(signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted; ) {
      const url = await this.#nextUrl(signal);
      if (url === undefined) return;
      const heldMilliseconds = await this.#hold(url, signal);
      if (signal.aborted) return;
      attempt = heldMilliseconds >= STEADY_MILLISECONDS ? 0 : attempt + 1;
      await this.#parts.pause(jittered(attempt, RETRY_BASE_MILLISECONDS, RETRY_CAP_MILLISECONDS), signal);
    }
  }

  /** Undefined: the signal has fired. */
  async #nextUrl(signal: AbortSignal): Promise<string | undefined> {
    // Mostly it is known: whoever waits for the end of a run each time is never let go before it.
    if (this.#url !== undefined) return signal.aborted ? undefined : this.#url;
    const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    while (this.#url === undefined && !signal.aborted) {
      this.#offered = Promise.withResolvers<void>();
      await Promise.race([this.#offered.promise, ended]);
    }
    return signal.aborted ? undefined : this.#url;
  }

  /** Opens a socket and resolves when it has closed, with how long it was open. */
  #hold(url: string, signal: AbortSignal): Promise<number> {
    const { apiKey, log, onRing } = this.#parts;
    const socket = new WebSocket(url, {
      headers: { 'x-api-key': apiKey },
      handshakeTimeout: HANDSHAKE_MILLISECONDS,
      maxPayload: MESSAGE_BYTES_MAX,
      perMessageDeflate: false,
      followRedirects: false,
    });
    this.#socket = socket;
    const end = () => socket.terminate();
    signal.addEventListener('abort', end, { once: true });
    let openedAt: number | undefined;
    let pings: NodeJS.Timeout | undefined;
    socket.on('upgrade', (response) => response.socket.setKeepAlive(true, KEEP_ALIVE_MILLISECONDS));
    socket.on('open', () => {
      openedAt = performance.now();
      pings = setInterval(() => socket.send(PING), PING_MILLISECONDS);
      log.debug('the doorbell is open');
      onRing();
    });
    socket.on('message', (data) => {
      if (Buffer.isBuffer(data) && isRing(data.toString())) onRing();
    });
    socket.on('error', (error) => log.debug(`the doorbell: ${messageOf(error)}`));
    return new Promise((resolve) => {
      socket.on('close', () => {
        clearInterval(pings);
        signal.removeEventListener('abort', end);
        if (openedAt !== undefined && !signal.aborted) onRing();
        resolve(openedAt === undefined ? 0 : performance.now() - openedAt);
      });
    });
  }
}

function isRing(text: string): boolean {
  try {
    const said: unknown = JSON.parse(text);
    return typeof said === 'object' && said !== null && 'type' in said && said.type === 'ring';
  } catch {
    return false;
  }
}

/**
 * The key is sent there: over no less than TLS where the control plane is reached over TLS. Undefined: it is
 * no such address.
 */
export function addressOf(url: string, base: string): string | undefined {
  if (!URL.canParse(url, `${base}/`)) return undefined;
  const address = new URL(url, `${base}/`);
  const isSecure = address.protocol === 'wss:' || address.protocol === 'https:';
  const isPlain = address.protocol === 'ws:' || address.protocol === 'http:';
  if (!isSecure && !(isPlain && new URL(base).protocol === 'http:')) return undefined;
  address.protocol = isSecure ? 'wss:' : 'ws:';
  // No socket is opened at an address with one.
  address.hash = '';
  return address.href;
}
