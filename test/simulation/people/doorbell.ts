import type { ClaimResponse } from '../../../lib/features/listener-protocol/shape.ts';
import { forgetSocket, openSocket } from '../../../lib/features/listener-protocol/sockets.ts';
import { MINUTE, SECOND } from '../faults.ts';
import type { Ground } from '../ground.ts';
import type { SocketService } from '../services/sockets.ts';
import type { ListenerOptions } from './listener.ts';

/** The hash of the key that the simulated listener has. */
export const KEY_HASH = 'key-of-the-listener';

type Parts = Pick<ListenerOptions, 'api' | 'caller' | 'listenerId' | 'instanceId'> & {
  sockets: SocketService;
  program: AbortSignal;
  /** Something may be there to claim, or the socket has opened or closed. */
  wake: () => void;
};

/** The listener's end of a socket, which closes now and then, with and without either end hearing of it. */
export class SimulatedDoorbell {
  readonly #ground: Ground;
  readonly #parts: Parts;
  #isOffered = false;
  #isConnecting = false;
  #connectionId: string | undefined;

  constructor(ground: Ground, parts: Parts) {
    this.#ground = ground;
    this.#parts = parts;
    parts.program.addEventListener('abort', () => this.#close(ground.random.chance(0.5)));
  }

  isOpen(): boolean {
    return this.#connectionId !== undefined;
  }

  learned(offer: ClaimResponse['doorbell'], saidOpen: boolean): void {
    this.#isOffered = offer !== undefined;
    if (saidOpen && offer?.rings !== true) this.#close(false);
    this.#connectSoon();
  }

  #connectSoon(): void {
    const { random, time } = this.#ground;
    if (!this.#isOffered || this.#isConnecting || this.isOpen() || this.#parts.program.aborted) return;
    this.#isConnecting = true;
    time.after(random.between(0.1, 20) * SECOND, () => void this.#connect());
  }

  async #connect(): Promise<void> {
    const { newId, random, time } = this.#ground;
    const { api, caller, instanceId, listenerId, program, sockets, wake } = this.#parts;
    const connectionId = newId();
    const opened = { listenerId, instanceId, connectionId, keyHash: KEY_HASH };
    const isOpened = await api(`socket of ${instanceId}`, (deps) => openSocket(deps, opened, caller)).then(
      () => true,
      () => false,
    );
    this.#isConnecting = false;
    if (program.aborted) return;
    if (!isOpened) return this.#connectSoon();
    this.#connectionId = connectionId;
    sockets.open(connectionId, () => {
      if (!program.aborted) wake();
    });
    wake();
    time.after(random.between(0.5, 40) * MINUTE, () => this.#endOf(connectionId));
  }

  /** Sometimes only the gateway knows: the listener goes on to believe that it is rung. */
  #endOf(connectionId: string): void {
    if (connectionId !== this.#connectionId || !this.#ground.faults.active) return;
    if (this.#ground.random.chance(0.3)) void this.#parts.sockets.close(connectionId);
    else this.#close(this.#ground.random.chance(0.7));
  }

  /** `told`: the control plane hears of it, sooner or later. */
  #close(told: boolean): void {
    const connectionId = this.#connectionId;
    if (connectionId === undefined) return;
    const { random, time } = this.#ground;
    const { api, program, sockets, wake } = this.#parts;
    this.#connectionId = undefined;
    void sockets.close(connectionId);
    const seconds = random.chance(0.9) ? random.between(0.01, 2) : random.between(2, 900);
    if (told)
      time.after(seconds * SECOND, () => {
        void api('a closed socket', (deps) => forgetSocket(deps, connectionId)).catch(() => undefined);
      });
    if (program.aborted) return;
    wake();
    this.#connectSoon();
  }
}
