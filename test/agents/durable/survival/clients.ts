import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { until } from '../../../support/until.ts';

const RETRY_MILLISECONDS = 100;
/** All that was killed has to come up again first. */
const END_MILLISECONDS = 300_000;

const runs = z.array(z.object({ run_id: z.string(), status: z.string() }));
const state = z.object({ next: z.array(z.string()), values: z.object({ steps: z.array(z.string()) }) });

export type ThreadState = z.infer<typeof state> & { status: string };

/** Clients of an agent whose server, worker and database are killed: what fails is asked again. */
export class Clients {
  readonly #url: (path: string) => string;
  /** Requests that were asked again. */
  retries = 0;

  constructor(url: (path: string) => string) {
    this.#url = url;
  }

  async ask(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(this.#url(path), {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  /** A request that may be made twice. What the client is to blame for is thrown. */
  async asked(method: string, path: string, body?: object): Promise<unknown> {
    for (;;)
      try {
        return await this.ask(method, path, body);
      } catch (error) {
        if (error instanceof Error && /: 4\d\d /.test(error.message)) throw error;
        this.retries += 1;
        await delay(RETRY_MILLISECONDS);
      }
  }

  async newThread(): Promise<string> {
    const thread_id = randomUUID();
    await this.asked('POST', '/threads', { thread_id, if_exists: 'do_nothing' });
    return thread_id;
  }

  /**
   * Starts a run on a thread that has had so many. One whose answer was lost is looked for before it is
   * started again.
   */
  async startRun(thread: string, body: object, before = 0): Promise<void> {
    for (;;)
      try {
        await this.ask('POST', `/threads/${thread}/runs`, body);
        return;
      } catch (error) {
        if (error instanceof Error && /: 4\d\d /.test(error.message)) throw error;
        this.retries += 1;
        await delay(RETRY_MILLISECONDS);
        if ((await this.runsOf(thread)).length > before) return;
      }
  }

  async runsOf(thread: string): Promise<z.infer<typeof runs>> {
    return runs.parse(await this.asked('GET', `/threads/${thread}/runs`));
  }

  /** How a thread stands when all of its runs have ended. */
  async ended(thread: string): Promise<ThreadState> {
    let found: z.infer<typeof runs> = [];
    await until(
      async () => {
        found = await this.runsOf(thread);
        return found.every(({ status }) => status !== 'pending' && status !== 'running');
      },
      {
        timeoutMs: END_MILLISECONDS,
        what: () => `the runs of thread ${thread} to end: ${JSON.stringify(found)}`,
      },
    );
    const now = state.parse(await this.asked('GET', `/threads/${thread}/state`));
    return { ...now, status: [...new Set(found.map(({ status }) => status))].join(', ') };
  }
}
