import { setTimeout as delay } from 'node:timers/promises';
import { Obstacle } from '../explain.ts';

type Deployment = { id: string; source_config: { custom_url: string | null } };
type Revision = { id: string; status: string; status_message: string | null };
type LogPage = { logs: { message: string }[]; next_offset: string };

const TERMINAL = /^(?:DEPLOYED|SKIPPED|INTERRUPTED|[A-Z]+_FAILED)$/;
const POLL_MILLISECONDS = 1_000;
const LOG_PAGE = 100;

/** The API as its users see it, as far as a first deploy needs it. */
export class Client {
  readonly #base: string;
  readonly #apiKey: string;

  constructor(base: string, apiKey: string) {
    this.#base = base.replace(/\/+$/, '');
    this.#apiKey = apiKey;
  }

  /** Registers this machine as the place where deployments run, and gives the listener's id. */
  async registerMachine(name: string): Promise<string> {
    const body = { compute_type: 'process', compute_id: name, compute_config: {} };
    return (await this.#ask<{ id: string }>('POST', '/v2/listeners', body)).id;
  }

  /** Makes a deployment that waits for its first tarball, and gives its id. */
  async makeDeployment(name: string): Promise<string> {
    const made = { name, source: 'internal_source', source_config: {}, source_revision_config: {} };
    return (await this.#ask<Deployment>('POST', '/v2/deployments', made)).id;
  }

  /** Uploads a tarball (gzip), of which the deployment's next revision is made. */
  async deployTarball(id: string, content: Uint8Array): Promise<void> {
    const path = `/v2/deployments/${id}`;
    const upload = await this.#ask<{ upload_url: string; object_path: string }>('POST', `${path}/upload-url`);
    const headers = { 'content-type': 'application/gzip' };
    const put = await fetch(upload.upload_url, { method: 'PUT', headers, body: content.slice() });
    if (!put.ok) throw new Obstacle(`The upload was answered with ${put.status}: ${await put.text()}`);
    const source = { source_tarball_path: upload.object_path };
    await this.#ask('PATCH', path, { source_revision_config: source });
  }

  /**
   * Waits for the newest revision's end, saying each status and each line of its build. Gives the
   * deployment's address.
   */
  async follow(id: string, say: (line: string) => void): Promise<string | null> {
    const path = `/v2/deployments/${id}`;
    const page = await this.#ask<{ resources: Revision[] }>('GET', `${path}/revisions?limit=1`);
    const newest = page.resources[0]?.id;
    if (newest === undefined) throw new Obstacle(`Deployment ${id} has no revision to wait for.`);
    let said: string | undefined;
    let offset: string | undefined;
    for (;;) {
      const revision = await this.#ask<Revision>('GET', `${path}/revisions/${newest}`);
      offset = await this.#sayBuildLog(id, newest, offset, say);
      if (revision.status !== said) say(revision.status);
      said = revision.status;
      if (TERMINAL.test(revision.status)) {
        if (revision.status !== 'DEPLOYED')
          throw new Obstacle(`${revision.status}: ${revision.status_message}`);
        return (await this.#ask<Deployment>('GET', path)).source_config.custom_url;
      }
      await delay(POLL_MILLISECONDS);
    }
  }

  async #sayBuildLog(
    id: string,
    revisionId: string,
    offset: string | undefined,
    say: (line: string) => void,
  ): Promise<string> {
    const path = `/v1/projects/${id}/revisions/${revisionId}/build_logs`;
    const { logs, next_offset } = await this.#ask<LogPage>('POST', path, {
      order: 'asc',
      limit: LOG_PAGE,
      offset,
    });
    for (const { message } of logs) say(`  ${message}`);
    return next_offset;
  }

  async #ask<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = { 'x-api-key': this.#apiKey, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(this.#base + path, { method, headers, ...sent }).catch((error: unknown) => {
      throw new Obstacle(
        `${this.#base} does not answer (${String(error)}). Is --url the stack's output ApiUrl?`,
      );
    });
    const text = await response.text();
    if (!response.ok) throw new Obstacle(`${method} ${path} was answered with ${response.status}: ${text}`);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- client and server are built from the same contract
    return JSON.parse(text) as T;
  }
}
