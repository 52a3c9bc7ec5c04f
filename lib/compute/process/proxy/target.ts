import type { Listening } from '../../../processes/table/listening.ts';
import { Connections } from './connections.ts';
import type { Traffic } from './traffic.ts';

/**
 * One running server as the proxy sees it: where it is, its connections, and how many requests are under way.
 */
export class ProxyTarget {
  readonly where: Listening;
  readonly connections: Connections;
  #inFlight = 0;
  readonly #waiting: (() => void)[] = [];
  /** Where its requests are counted. */
  traffic: Traffic | undefined;

  /** Whether a path is closed, whatever the server would answer. */
  readonly isClosed: (path: string) => boolean;

  constructor(where: Listening, isClosed: (path: string) => boolean = () => false) {
    this.where = where;
    this.connections = new Connections(where);
    this.isClosed = isClosed;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Counts a request in; call the answer once when it is over (more often does no harm). */
  enter(): () => void {
    this.#inFlight += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#inFlight -= 1;
      if (this.#inFlight === 0) for (const wake of this.#waiting.splice(0)) wake();
    };
  }

  /**
   * Resolves when no request is under way, at the latest after `withinMilliseconds`. True when none was left.
   */
  async drained(withinMilliseconds: number): Promise<boolean> {
    if (this.#inFlight === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      timer = setTimeout(resolve, withinMilliseconds);
    });
    clearTimeout(timer);
    return this.#inFlight === 0;
  }
}
