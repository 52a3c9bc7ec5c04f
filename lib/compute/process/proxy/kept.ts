import type { Client, Dispatcher } from 'undici';
import { passAnswer, type TakenAnswer } from './answer.ts';
import { type Attempt, isAnswer, type Trying } from './attempt.ts';
import { requestHeaders } from './headers.ts';

type Controller = Dispatcher.DispatchController;

/** Names and values as they came, one after the other. */
function flatHeaders({ rawHeaders }: Controller): string[] {
  if (!Array.isArray(rawHeaders)) return [];
  return rawHeaders.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
}

/** One request on a kept connection: its answer goes to the client as it comes. */
class KeptTry implements Dispatcher.DispatchHandler {
  readonly #trying: Trying;
  readonly #client: Client;
  readonly #isReused: boolean;
  readonly #over: (result: Attempt) => void;
  #isSent = false;
  #isOver = false;
  #answer: TakenAnswer | undefined;

  constructor(trying: Trying, client: Client, over: (result: Attempt) => void) {
    this.#trying = trying;
    this.#client = client;
    this.#isReused = client.stats.connected;
    this.#over = over;
    trying.response.once('close', this.#leave);
  }

  onRequestStart(): void {
    this.#isSent = true;
  }

  onResponseStart(controller: Controller, status: number, _: unknown, words?: string): void {
    if (!isAnswer(status)) {
      // `103 Early Hints` and its like come before an answer. `undici` fails at `100 Continue`.
      if (status < 100) this.#refuse(`it sent the status ${status}`);
      return;
    }
    const { response } = this.#trying;
    this.#answer = passAnswer(this.#trying, { status, words, flat: flatHeaders(controller) });
    response.on('drain', () => controller.resume());
  }

  onResponseData(controller: Controller, part: Buffer): void {
    if (this.#answer?.write(part) === false) controller.pause();
  }

  onResponseEnd(): void {
    this.#answer?.end();
    this.#trying.target.connections.giveBack(this.#client);
    this.#end({ kind: 'done' });
  }

  onResponseError(_: unknown, { message: problem }: Error): void {
    if (this.#isOver) return;
    void this.#client.destroy();
    if (this.#answer === undefined) {
      const again = { kind: 'again', problem, wasConnected: this.#isSent } as const;
      return this.#end(this.#isReused ? { kind: 'stale' } : again);
    }
    this.#answer.breakOff();
    return this.#end({ kind: 'done' });
  }

  #refuse(problem: string): void {
    this.#end({ kind: 'failed', problem });
    void this.#client.destroy();
  }

  readonly #leave = (): void => {
    // A whole answer closes the response too.
    if (this.#isOver) return;
    this.#end({ kind: 'done' });
    void this.#client.destroy();
  };

  #end(result: Attempt): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#trying.response.off('close', this.#leave);
    this.#over(result);
  }
}

/**
 * Sends a request without a body over a connection that is kept for the next. The server may close such a
 * connection just as it is used, so this is for what can be sent again.
 */
export function tryKept(trying: Trying): Promise<Attempt> {
  const { request, to, target } = trying;
  return new Promise((resolve) => {
    const client = target.connections.take();
    const handler = new KeptTry(trying, client, resolve);
    const headers = requestHeaders(request, to);
    client.dispatch({ path: to.path, method: request.method ?? 'GET', headers }, handler);
  });
}
