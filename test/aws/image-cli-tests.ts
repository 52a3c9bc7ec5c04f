import { expect, it } from 'vitest';
import { ended, type ShownDeployment, type ShownRevision } from '../support/programs/program.ts';
import { awsEnvironment } from './aws-environment.ts';
import { pushImage } from './registry.ts';
import type { Tour } from './tour.ts';

type Login = { token: string; registry_url: string; username: string; repository_url: string };

/**
 * The flow of a deploy CLI that pushes an image, as raw requests with what such clients send (contract Part
 * 3).
 */
export function imageCliTests(at: () => Tour): void {
  it('takes an image that a deploy CLI has pushed', async () => {
    const { slipway, ground, cluster, clusterId } = at();
    const ask = async <T>(method: string, path: string, expected: number, body?: object): Promise<T> => {
      const response = await fetch(`${slipway.baseUrl}/api-host${path}`, {
        method,
        headers: {
          'X-Api-Key': slipway.apiKey,
          'X-Tenant-ID': slipway.tenantId,
          Accept: 'application/json',
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.status !== expected) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as T; // the shapes that the client reads
    };
    const { id } = await ask<ShownDeployment>('POST', '/v2/deployments', 201, {
      name: 'pushed-by-a-cli',
      source: 'internal_docker',
      source_config: { deployment_type: 'dev', listener_id: clusterId },
      source_revision_config: {},
      secrets: [],
    });
    const asked = { supports_registry_username: true };
    const login = await ask<Login>('POST', `/v2/deployments/${id}/push-token`, 200, asked);
    expect(login.repository_url).toContain(login.registry_url.replace(/^https?:\/\//, ''));
    // There is no registry to log in to on the emulator: the image is put there by its owner, under the
    // address that was given.
    const { AWS_REGION: region, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = awsEnvironment;
    const owner = { region, accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
    const push = { ...owner, repository: login.repository_url, sessionToken: '' };
    const digest = await pushImage(ground.emulator, push);
    const image_uri = `${login.repository_url}@${digest}`;
    await ask('PATCH', `/v2/deployments/${id}`, 200, {
      revision_source: 'internal_docker',
      source_revision_config: { image_uri },
      secrets: [],
    });
    const newest = await ask<{ resources: ShownRevision[] }>(
      'GET',
      `/v2/deployments/${id}/revisions?limit=1`,
      200,
    );
    const revisionId = newest.resources[0]?.id ?? '';
    const task = await cluster.claim(revisionId);
    expect(task.artifact).toEqual({ kind: 'image', uri: image_uri });
    await cluster.complete(task, 'succeeded', { url: 'https://pushed.example.com' });
    expect((await ended(slipway, id, revisionId)).status).toBe('DEPLOYED');
    const shown = await ask<ShownDeployment>('GET', `/v2/deployments/${id}`, 200);
    expect(shown.source_config.custom_url).toBe('https://pushed.example.com');
  });
}
