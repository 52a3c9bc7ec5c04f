import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient, isEnded } from '../../client/client.ts';
import type { LogEntry } from '../../client/endpoints.ts';
import { IGNORED_HEADER } from '../../contract/validation/ignored-fields.ts';
import { Obstacle } from '../explain.ts';

const POLL_MILLISECONDS = 1_000;
const LOG_PAGE = 1_000;
const LOGS = 'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs';

/** Logs of a revision. */
export type LogType = 'build' | 'deploy';

/** A client that says what the API ignored of what it sent. */
export const warningClient = (url: string, apiKey: string, warn: (line: string) => void): Client =>
  createClient({
    url,
    credentials: { apiKey },
    onAnswer: ({ headers }, endpoint) => {
      const ignored = headers.get(IGNORED_HEADER);
      if (ignored !== null)
        warn(`${endpoint}: the API ignored what it does not know, ${ignored}. Is it an older release?`);
    },
  });

/** Makes a deployment that waits for its first tarball, and gives its id. */
export async function makeDeployment(client: Client, name: string): Promise<string> {
  const body = { name, source: 'internal_source', source_config: {}, source_revision_config: {} } as const;
  return (await client.ask('POST /v2/deployments', { body })).id;
}

/** Uploads a tarball (gzip), of which the deployment's next revision is made. */
export async function deployTarball(client: Client, id: string, content: Uint8Array): Promise<void> {
  const params = { deployment_id: id };
  const upload = await client.ask('POST /v2/deployments/{deployment_id}/upload-url', { params });
  const headers = { 'content-type': 'application/gzip' };
  const put = await fetch(upload.upload_url, { method: 'PUT', headers, body: content.slice() });
  if (!put.ok) throw new Obstacle(`The upload was answered with ${put.status}: ${await put.text()}`);
  const source_revision_config = { source_tarball_path: upload.object_path };
  await client.ask('PATCH /v2/deployments/{deployment_id}', { params, body: { source_revision_config } });
}

/**
 * Waits until the newest revision serves, saying each status and each line of these logs. Gives the
 * deployment's address. Throws `Obstacle` when the revision ends otherwise.
 */
export async function followNewest(
  client: Client,
  id: string,
  say: (line: string) => void,
  logs: readonly LogType[] = ['build'],
): Promise<string | null> {
  const params = { deployment_id: id };
  const { resources } = await client.ask('GET /v2/deployments/{deployment_id}/revisions', {
    params,
    query: { limit: 1 },
  });
  const newest = resources[0];
  if (newest === undefined) throw new Obstacle(`Deployment ${id} has no revision to wait for.`);
  const ids = { ...params, revision_id: newest.id };
  const linesSince = logs.map((type) => newLines(client, ids, type));
  let said: string | undefined;
  for (;;) {
    const revision = await client.ask('GET /v2/deployments/{deployment_id}/revisions/{revision_id}', {
      params: ids,
    });
    for (const read of linesSince) for (const { message } of await read()) say(`  ${message}`);
    if (revision.status !== said) say(revision.status);
    said = revision.status;
    if (isEnded(revision)) {
      if (revision.status !== 'DEPLOYED')
        throw new Obstacle(`${revision.status}: ${revision.status_message}`);
      return (await client.ask('GET /v2/deployments/{deployment_id}', { params })).source_config.custom_url;
    }
    await delay(POLL_MILLISECONDS);
  }
}

/** Reads what came since it was called before. */
function newLines(
  client: Client,
  params: { deployment_id: string; revision_id: string },
  type: LogType,
): () => Promise<LogEntry[]> {
  let offset: string | undefined;
  return async () => {
    const page = await client.ask(LOGS, { params, query: { type, limit: LOG_PAGE, offset } });
    offset = page.next_offset ?? offset;
    return page.logs;
  };
}
