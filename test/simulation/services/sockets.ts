import type { Sockets } from '../../../lib/adapters/doorbell.ts';
import { SECOND } from '../faults.ts';
import type { Ground } from '../ground.ts';

/** The gateway that holds sockets: what is sent comes late, twice or never. */
export class SocketService implements Sockets {
  readonly #ground: Ground;
  /** What rings at the other end, by connection. */
  readonly #open = new Map<string, () => void>();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  open(connectionId: string, onRing: () => void): void {
    this.#open.set(connectionId, onRing);
  }

  async close(connectionId: string): Promise<void> {
    this.#open.delete(connectionId);
  }

  async send(connectionId: string): Promise<'sent' | 'gone'> {
    const { count, faults, random, time } = this.#ground;
    if (!this.#open.has(connectionId)) return 'gone';
    if (faults.chance(0.1)) {
      count('rings lost');
      return 'sent';
    }
    for (let times = faults.chance(0.1) ? 2 : 1; times > 0; times--) {
      const milliseconds = faults.chance(0.1) ? random.between(1, 200) * SECOND : random.between(5, 80);
      time.after(milliseconds, () => this.#open.get(connectionId)?.());
    }
    count('rings');
    return 'sent';
  }
}
