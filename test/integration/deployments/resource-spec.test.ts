import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { configurationKey } from '../../../lib/store/keys/index.ts';
import { claim, listening, offered } from '../../support/world/listening.ts';
import { show } from '../../support/world/requests.ts';

const withSpec = (resource_spec: object) => ({
  source_config: { repo_url: 'https://example.com/repo.git', resource_spec },
});

describe('the resource_spec of a DEPLOY task', () => {
  it('has the shares of a processor that were asked for, exactly, and what else was given', async () => {
    const world = await listening();
    const asked = {
      cpu: 0.25,
      cpu_limit: 1.001,
      queue_cpu: 0.14,
      volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Gi' } }],
      sidecars: [{ name: 's', image: 'i', resources: { requests: { cpu: '0.14' } } }],
    };
    const { id } = await offered(world, 'a', [], withSpec(asked));
    const [task] = (await claim(world)).tasks;
    expect(task).toMatchObject({ kind: 'DEPLOY', resource_spec: { ...asked, queue_cpu_limit: 0.28 } });
    expect((await show(world, id)).source_config.resource_spec).toEqual(asked);
  });

  it('is made of what was stored, also where it would be refused today', async () => {
    const world = await listening();
    const { id } = await offered(world, 'a', [], withSpec({ cpu: 1 }));
    const { client, name } = world.deps.table;
    await client.send(
      new UpdateCommand({
        TableName: name,
        Key: configurationKey(world.caller.tenantId, id, 1),
        UpdateExpression: 'SET resource_spec = :spec',
        ExpressionAttributeValues: { ':spec': { redis_cpu: 0.1234, volumes: [{}] } },
      }),
    );
    const [task] = (await claim(world)).tasks;
    expect(task).toMatchObject({
      resource_spec: { redis_cpu: 0.123, redis_cpu_limit: 0.247, volumes: [{}] },
    });
  });
});
