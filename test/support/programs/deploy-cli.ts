import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import * as tar from 'tar';
import { expect } from 'vitest';
import { temporaryFolder } from '../files/temporary-folder.ts';
import { type Files, writeFiles } from '../files/write-files.ts';
import type { Installation, ShownDeployment, ShownRevision } from './program.ts';

/** What existing deploy CLIs send, byte for byte where it matters, and what they read (contract Part 3). */
const TERMINAL = /^(DEPLOYED|SKIPPED|[A-Z]+_FAILED)$/;
/** They ask once a second or less often; a test has no second to spare. */
const POLL_MILLISECONDS = 200;
const LOG_PAGE = 50;
/** A revision that takes longer is stuck. Agents, whose packages are downloaded, take minutes. */
const FOLLOW_TIMEOUT_MS = 600_000;

type Headers = Record<string, string | number>;
type Sent = { method: string; url: string; headers: Headers; body?: Buffer | string };
type Received = { status: number; text: string };

function send({ method, url, headers, body }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sending.on('error', reject).end(body);
  });
}

/** A gzipped tar file of regular files only: no entry for any folder. */
export async function tarball(files: Files): Promise<Buffer> {
  const folder = await temporaryFolder();
  await writeFiles(folder, files);
  const packed = tar.create({ cwd: folder, gzip: true, portable: true }, Object.keys(files));
  const chunks: Buffer[] = [];
  for await (const chunk of packed) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export type LogLine = { id: string; timestamp: number; level: string; message: string };
type LogPage = { logs: LogLine[]; next_offset: string };

export type CliRun = {
  deployment: ShownDeployment;
  revision: ShownRevision;
  /** The build log as it was followed while the build ran. */
  followed: LogLine[];
};

export type CliRequest = {
  name: string;
  content: Buffer;
  /** Absent: the path is not sent, as some do for a plain project. */
  configPath?: string;
  secrets?: { name: string; value: string }[];
  /** Hears of the lines of the build log as they come. */
  onLines?: OnLines;
};

type OnLines = (lines: LogLine[]) => void | Promise<void>;

/**
 * A deploy CLI's `deploy --remote`: finds or makes the deployment, uploads, patches, and polls to the end.
 */
export class DeployCli {
  readonly #program: Installation;
  readonly #base: string;

  /** `prefix` is a path that the base address ends with. */
  constructor(program: Installation, prefix = '') {
    this.#program = program;
    this.#base = program.baseUrl + prefix;
  }

  async deploy({ name, content, configPath, secrets = [], onLines }: CliRequest): Promise<CliRun> {
    const { id } = (await this.find(name)) ?? (await this.#create(name, configPath, secrets));
    const { upload_url: uploadUrl, object_path: path } = await this.uploadUrl(id);
    await this.upload(uploadUrl, content);
    await this.#json<ShownDeployment>('PATCH', `/v2/deployments/${id}`, 200, {
      revision_source: 'internal_source',
      source_revision_config: {
        source_tarball_path: path,
        ...(configPath !== undefined && { langgraph_config_path: configPath }),
      },
      source_config: {},
      secrets,
      tracked_packages: { langgraph: '1.2.22' },
    });
    return this.follow(id, onLines);
  }

  /** By name, as older ones do: the first page of what contains it, then an exact match. */
  async find(name: string): Promise<{ id: string } | undefined> {
    const path = `/v2/deployments?name_contains=${encodeURIComponent(name)}`;
    const { resources } = await this.#json<{ resources: { id: string; name: string }[] }>('GET', path, 200);
    return resources.find((one) => one.name === name);
  }

  async #create(name: string, configPath: string | undefined, secrets: object[]): Promise<{ id: string }> {
    const made = await this.#json<ShownDeployment>('POST', '/v2/deployments', 201, {
      name,
      source: 'internal_source',
      source_config: { deployment_type: 'dev' },
      source_revision_config: configPath === undefined ? {} : { langgraph_config_path: configPath },
      secrets,
    });
    expect(made).toMatchObject({ id: expect.stringMatching(/./), source_config: { deployment_type: 'dev' } });
    return made;
  }

  /** No body and no content type. */
  async uploadUrl(id: string): Promise<{ upload_url: string; object_path: string }> {
    const headers = { ...this.#headers(), 'Content-Length': 0 };
    const url = `${this.#base}/v2/deployments/${id}/upload-url`;
    const { status, text } = await send({ method: 'POST', url, headers });
    expect([status, text]).toEqual([200, expect.stringContaining('upload_url')]);
    return JSON.parse(text);
  }

  /** With headers of another storage service, and none of the API's. */
  async upload(url: string, content: Buffer): Promise<void> {
    const headers = {
      'Content-Type': 'application/gzip',
      'Content-Length': content.length,
      'X-Goog-Content-Length-Range': '0,209715200',
    };
    const { status, text } = await send({ method: 'PUT', url, headers, body: content });
    expect([Math.floor(status / 100), text]).toEqual([2, '']);
  }

  /** Polls the newest revision to its end, showing its build log meanwhile. */
  async follow(id: string, onLines?: OnLines): Promise<CliRun> {
    const newest = `/v2/deployments/${id}/revisions?limit=1`;
    const { resources } = await this.#json<{ resources: ShownRevision[] }>('GET', newest, 200);
    const [{ id: revisionId } = { id: '' }] = resources;
    const followed: LogLine[] = [];
    let offset: string | undefined;
    const deadline = Date.now() + FOLLOW_TIMEOUT_MS;
    for (;;) {
      const path = `/v2/deployments/${id}/revisions/${revisionId}`;
      const revision = await this.#json<ShownRevision>('GET', path, 200);
      if (revision.status === 'AWAITING_BUILD' || revision.status === 'BUILDING') {
        const ask = { order: 'asc', limit: LOG_PAGE, ...(offset !== undefined && { offset }) };
        const page = await this.buildLogs(id, revisionId, ask);
        followed.push(...page.logs);
        await onLines?.(page.logs);
        offset = page.next_offset;
      }
      if (TERMINAL.test(revision.status)) {
        const deployment = await this.#json<ShownDeployment>('GET', `/v2/deployments/${id}`, 200);
        return { deployment, revision, followed };
      }
      if (Date.now() > deadline) throw new Error(`It does not end: ${JSON.stringify(revision)}`);
      await delay(POLL_MILLISECONDS);
    }
  }

  buildLogs(id: string, revisionId: string, body: object): Promise<LogPage> {
    return this.#json('POST', `/v1/projects/${id}/revisions/${revisionId}/build_logs`, 200, body);
  }

  /** The newest lines first, then what is new since the newest one, without those that were seen. */
  async deployLogs(id: string): Promise<{ next: () => Promise<LogLine[]>; first: LogLine[] }> {
    const path = `/v1/projects/${id}/deploy_logs`;
    const seen = new Set<string>();
    const fresh = (lines: LogLine[]) => lines.filter((line) => !seen.has(line.id) && seen.add(line.id));
    const page = await this.#json<LogPage>('POST', path, 200, { order: 'desc', limit: 100 });
    const first = fresh(page.logs.toReversed());
    let newest = first.at(-1)?.timestamp ?? 0;
    const next = async () => {
      const since = new Date(newest).toISOString();
      const { logs } = await this.#json<LogPage>('POST', path, 200, {
        order: 'asc',
        limit: 100,
        start_time: since,
      });
      newest = logs.at(-1)?.timestamp ?? newest;
      return fresh(logs);
    };
    return { first, next };
  }

  #headers(): Headers {
    const { apiKey, tenantId } = this.#program;
    return { 'X-Api-Key': apiKey, 'X-Tenant-ID': tenantId, Accept: 'application/json' };
  }

  async #json<T>(method: string, path: string, expected: number, body?: object): Promise<T> {
    const content = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...this.#headers(),
      ...(content !== undefined && {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(content),
      }),
    };
    const sent = { method, url: this.#base + path, headers, ...(content !== undefined && { body: content }) };
    const { status, text } = await send(sent);
    if (status !== expected) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return JSON.parse(text);
  }
}
