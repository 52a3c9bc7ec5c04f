import { setTimeout as delay } from 'node:timers/promises';
import { errors } from '../../contract/errors.ts';
import { IGNORED_HEADER } from '../../contract/validation/ignored-fields.ts';
import { Obstacle } from '../explain.ts';

type Deployment = { id: string; source_config: { custom_url: string | null } };
type Revision = { id: string; status: string; status_message: string | null };
type LogPage = { logs: { message: string }[]; next_offset: string };

const TERMINAL = /^(?:DEPLOYED|SKIPPED|INTERRUPTED|[A-Z]+_FAILED)$/;
const POLL_MILLISECONDS = 1_000;
const LOG_PAGE = 100;

/** Logs of a revision, by the last part of their paths. */
export type LogName = 'build_logs' | 'deploy_logs';

/** The API has nowhere to run a deployment: no listener, of anybody. */
export class NoListener extends Obstacle {}

const NO_LISTENER = errors.listener_required.detail({ why: '' });

/** The API as its users see it, as far as a first deploy needs it. */
export class Client {
  readonly #base: string;
  readonly #apiKey: string;
  readonly #warn: (line: string) => void;

  /** `warn` is told what the API says beside its answers. */
  constructor(base: string, apiKey: string, warn: (line: string) => void) {
    this.#base = base.replace(/\/+$/, '');
    this.#apiKey = apiKey;
    this.#warn = warn;
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
   * Waits for the newest revision's end, saying each status and each line of these logs. Gives the
   * deployment's address.
   */
  async follow(
    id: string,
    say: (line: string) => void,
    logs: readonly LogName[] = ['build_logs'],
  ): Promise<string | null> {
    const path = `/v2/deployments/${id}`;
    const found = await this.#ask<{ resources: Revision[] }>('GET', `${path}/revisions?limit=1`);
    const newest = found.resources[0]?.id;
    if (newest === undefined) throw new Obstacle(`Deployment ${id} has no revision to wait for.`);
    let said: string | undefined;
    const offsets = new Map<LogName, string>();
    for (;;) {
      const revision = await this.#ask<Revision>('GET', `${path}/revisions/${newest}`);
      for (const log of logs) {
        const page = await this.#logAfter(`/v1/projects/${id}/revisions/${newest}/${log}`, offsets.get(log));
        for (const { message } of page.logs) say(`  ${message}`);
        offsets.set(log, page.next_offset);
      }
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

  #logAfter(path: string, offset: string | undefined): Promise<LogPage> {
    return this.#ask('POST', path, { order: 'asc', limit: LOG_PAGE, offset });
  }

  async #ask<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = { 'x-api-key': this.#apiKey, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(this.#base + path, { method, headers, ...sent }).catch((error: unknown) => {
      throw new Obstacle(
        `${this.#base} does not answer (${String(error)}). Is --url the stack's output ApiUrl?`,
      );
    });
    const ignored = response.headers.get(IGNORED_HEADER);
    if (ignored !== null)
      this.#warn(
        `${method} ${path}: the API ignored what it does not know, ${ignored}. Is it an older release?`,
      );
    const text = await response.text();
    if (!response.ok) {
      const Kind = text.includes(NO_LISTENER) ? NoListener : Obstacle;
      throw new Kind(`${method} ${path} was answered with ${response.status}: ${text}`);
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- client and server are built from the same contract
    return JSON.parse(text) as T;
  }
}
