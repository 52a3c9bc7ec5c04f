import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findLink } from '../../../lib/cli/shell/link.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { type At, slipway } from '../../support/programs/user-cli.ts';

let folder: string;
beforeEach(async () => void (folder = await temporaryFolder()));

type Sent = { method: string; path: string; ifMatch: string | null; body: unknown };

/** An installation with one deployment, `agent`; a secret is set there while something is uploaded. */
function installation(deployment: object) {
  const sent: Sent[] = [];
  let secrets = [{ name: 'OLD', value: '**********' }];
  const fetch: At['fetch'] = async (address, { method = 'GET', headers, body } = {}) => {
    const { pathname: path } = new URL(String(address));
    const ifMatch = new Headers(headers).get('If-Match');
    const agent = { id: 'd', name: 'agent', secrets, latest_revision_id: '00000002', ...deployment };
    if (method !== 'GET')
      sent.push({
        method,
        path,
        ifMatch,
        body: typeof body === 'string' ? (JSON.parse(body) as unknown) : undefined,
      });
    if (path === '/v2/deployments') return Response.json({ resources: [agent], offset: 1 });
    if (path.endsWith('/upload-url'))
      return Response.json({ upload_url: 'http://blobs.example/', object_path: 'o', upload_headers: {} });
    if (path === '/') secrets = [...secrets, { name: 'OTHER', value: '**********' }];
    if (path.endsWith('/revisions')) return Response.json({ id: '00000003', deployment_id: 'd' });
    return Response.json(agent, { headers: { ETag: `"${secrets.length}"` } });
  };
  const environment = {
    PATH: process.env.PATH,
    SLIPWAY_URL: 'http://api.example',
    SLIPWAY_API_KEY: 'key',
  };
  const run = (...args: string[]) => slipway({ fetch, environment, cwd: folder }, args);
  return { sent, run };
}

describe('deploy', () => {
  it('keeps a secret that was set while it uploaded', async () => {
    writeFileSync(join(folder, 'agent.py'), '');
    const source_config = { repo_url: null, root_directory: null };
    const { sent, run } = installation({ source: 'internal_source', source_config });
    const deployed = await run('deploy', '--name', 'agent', '-y', '--secret', 'NEW=1', '--no-wait');
    expect(deployed).toMatchObject({ exit: 0 });
    expect(sent.at(-1)).toMatchObject({
      method: 'PATCH',
      ifMatch: '"2"',
      body: { secrets: [{ name: 'OLD' }, { name: 'OTHER' }, { name: 'NEW', value: '1' }] },
    });
  });

  it('asks nothing of a deployment whose source is the repository that is named', async () => {
    const repo_url = 'https://git.example/me/agent';
    const { run } = installation({ source: 'github', source_config: { repo_url } });
    expect(await run('deploy', repo_url, '--no-wait')).toMatchObject({ exit: 0 });
    expect(await run('deploy', 'https://git.example/you/agent', '--no-wait')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--name NAME -y'),
    });
  });

  it('waits for any part of a second, and stops then', async () => {
    const { run } = installation({
      active_revision_id: '00000002',
      status: 'BUILDING',
      status_message: null,
    });
    expect(await run('restart', 'agent', '--timeout', '0.0301')).toMatchObject({ exit: 5 });
  });
});

it('a folder is linked by the file of its repository; without one, by its own alone', () => {
  const below = join(folder, 'apps/agent');
  mkdirSync(below, { recursive: true });
  writeFileSync(join(folder, 'slipway.json'), '{"name": "agent"}');
  expect([findLink(folder)?.name, findLink(below)]).toEqual(['agent', undefined]);
  execFileSync('git', ['init', '-q'], { cwd: folder });
  expect(findLink(below)).toMatchObject({ folder, name: 'agent' });
  execFileSync('git', ['init', '-q'], { cwd: below });
  expect(findLink(below)).toBeUndefined();
});
