import { expect, it } from 'vitest';
import { type Client, createClient } from '../../../lib/client/client.ts';
import type { Deployment } from '../../../lib/client/endpoints.ts';

/**
 * What the compiler makes of the client: these functions are compiled and never called. A use that it should
 * refuse and does not is an error of the compiler, for the comment above it is in vain.
 */
const LOGS = 'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs';
const ids = { deployment_id: 'one', revision_id: 'two' };

async function uses(client: Client) {
  const made = await client.ask('POST /v2/deployments', {
    body: {
      name: 'hello',
      source: 'github',
      source_config: { repo_url: 'https://example.com/a', resource_spec: { cpu: 1 } },
      source_revision_config: {},
      secrets: [{ name: 'A', value: 'b' }],
    },
  });
  const status: 'UNUSED' | 'READY' | 'UNKNOWN' | 'AWAITING_DELETE' = made.status;
  const query = { status: ['READY'], limit: 3, include: ['latest_revision'] } as const;
  for await (const row of client.list('GET /v2/deployments', { query })) {
    const message: string | null | undefined = row.latest_revision?.status_message;
    void message;
  }
  const filters = { type: 'build', level: 'ERROR', start_time: new Date() } as const;
  for await (const line of client.follow(LOGS, { params: ids, query: filters }, { after: '3' })) {
    const at: number = line.timestamp;
    void [at, line.message];
  }
  for await (const event of client.follow('GET /v2/events', {})) void event.number;
  const role: string | null = (await client.ask('GET /v2/me', {})).role;
  const deleted: undefined = await client.ask('DELETE /v2/deployments/{deployment_id}', {
    params: { deployment_id: 'one' },
    query: { force: true },
  });
  const upload = { params: { deployment_id: 'one' } };
  const address: string = (await client.ask('POST /v2/deployments/{deployment_id}/upload-url', upload))
    .upload_url;
  const tagged: { answer: Deployment; tag: string | null } = await client.askTagged(
    'GET /v2/deployments/{deployment_id}',
    { params: { deployment_id: 'one' } },
  );
  void [status, role, deleted, address, tagged];
}

async function misuses(client: Client) {
  await client.ask('POST /v2/deployments', {
    // @ts-expect-error -- no such source
    body: { name: 'a', source: 'git', source_config: {}, source_revision_config: {} },
  });
  // @ts-expect-error -- the parameters of the path are missing
  await client.ask('GET /v2/deployments/{deployment_id}', {});
  // @ts-expect-error -- the body is missing
  await client.ask('POST /v2/deployments', {});
  // @ts-expect-error -- no such endpoint
  await client.ask('GET /v2/deploymens', {});
  // @ts-expect-error -- another method
  await client.ask('PUT /v2/deployments', {});
  // @ts-expect-error -- no such status
  await client.ask('GET /v2/deployments', { query: { status: ['GONE'] } });
  // @ts-expect-error -- no such filter
  await client.ask('GET /v2/deployments', { query: { nme: 'a' } });
  // @ts-expect-error -- no list
  client.list('GET /v2/me', {});
  // @ts-expect-error -- no event stream
  client.follow('GET /v2/deployments', {});
  // @ts-expect-error -- the type of a log is required
  client.follow(LOGS, { params: ids, query: { level: 'ERROR' } });
  // @ts-expect-error -- and so is the query that says it
  client.follow(LOGS, { params: ids });
  // @ts-expect-error -- an answer that is no JSON
  await client.ask('GET /openapi.json', {});
  // @ts-expect-error -- who asks
  createClient({ url: '' });
  // @ts-expect-error -- a key or a token
  createClient({ url: '', credentials: { apiKey: 'a', token: 'b' } });
}

it('the compiler knows what each endpoint takes and gives, and refuses the rest', () => {
  expect([uses.length, misuses.length]).toEqual([1, 1]);
});
