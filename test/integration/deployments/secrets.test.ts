import { describe, expect, it } from 'vitest';
import { findDeployment } from '../../../lib/core/items/deployments.ts';
import { openDeploymentSecrets } from '../../../lib/core/secrets.ts';
import { put, update } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { deploymentKey, secretsKey } from '../../../lib/store/keys/index.ts';
import { ended } from '../../support/world/processed.ts';
import {
  change,
  github,
  list,
  post,
  postRevision,
  redeploy,
  refusal,
  register,
  revisions,
  show,
} from '../../support/world/requests.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

const MASK = '**********';

async function withSecrets(
  secrets: { name: string; value: string }[],
): Promise<{ world: World; id: string }> {
  const world = await aWorld();
  await register(world, 'machine');
  return { world, id: (await post(world, github('a', { secrets }))).id };
}

async function stored({ deps, caller }: World, deploymentId: string) {
  const deployment = await findDeployment(deps.table, caller.tenantId, deploymentId);
  return openDeploymentSecrets(deps, { tenantId: caller.tenantId, deploymentId }, deployment?.secrets);
}

const revisionItems = async ({ deps }: World, id: string) =>
  (await allItems(deps.table))
    .filter(({ entity, deployment_id }) => entity === 'revision' && deployment_id === id)
    .sort((one, other) => Number(one.number) - Number(other.number));

describe('a secret', () => {
  it('is stored in plain nowhere and answered never, whatever happens to it', async () => {
    const canary = 'canary-0f8b3a6c-value';
    const secrets = [{ name: 'TOKEN', value: canary }];
    const { world, id } = await withSecrets(secrets);
    const answers: unknown[] = [];
    const old = await ended(world, id, 'DEPLOYED');
    answers.push(await change(world, id, { secrets: [{ name: 'OTHER', value: `${canary}-2` }] }));
    await ended(world, id, 'BUILD_FAILED');
    answers.push(await redeploy(world, id, old.id));
    answers.push(
      await change(world, id, {
        secrets: [
          { name: 'OTHER', value: MASK },
          { name: 'MORE', value: canary },
        ],
      }),
    );
    await ended(world, id, 'DEPLOY_FAILED');
    answers.push(
      await refusal(
        change(world, id, {
          secrets: [
            { name: 'X', value: MASK },
            { name: 'Y', value: canary },
          ],
        }),
      ),
    );
    answers.push(
      await refusal(post(world, github('a', { secrets: [{ name: 'TOKEN', value: `${canary}-3` }] }))),
    );
    answers.push(await show(world, id), await list(world), await revisions(world, id));
    expect(JSON.stringify(answers)).not.toContain(canary);
    const items = JSON.stringify(await allItems(world.deps.table));
    for (const form of [canary, Buffer.from(canary).toString('base64').slice(0, -4)]) {
      expect(items).not.toContain(form);
    }
    expect(await stored(world, id)).toEqual([
      { name: 'OTHER', value: `${canary}-2` },
      { name: 'MORE', value: canary },
    ]);
  });

  it('opens only for the deployment it was stored for', async () => {
    const { world, id } = await withSecrets([{ name: 'A', value: 'b' }]);
    const other = await post(world, github('b', { secrets: [{ name: 'C', value: 'd' }] }));
    const { deps, caller } = world;
    const foreign = (await allItems(deps.table)).find(
      (item) => item.entity === 'secrets' && String(item.pk).endsWith(other.id),
    );
    const moved = { ...foreign, ...secretsKey(caller.tenantId, id, 1) };
    await transact(deps.table, [put('secrets', moved)]);
    await expect(stored(world, id)).rejects.toThrow();
    expect(await stored(world, other.id)).toEqual([{ name: 'C', value: 'd' }]);
  });
});

describe('the list of secrets in a PATCH', () => {
  const both = [
    { name: 'A', value: 'one' },
    { name: 'B', value: 'two' },
  ];

  it('replaces the one there is; the mask keeps a value, clear_secrets clears, [] and null keep', async () => {
    const { world, id } = await withSecrets(both);
    for (const kept of [null, []]) {
      await change(world, id, { secrets: kept });
      expect(await stored(world, id)).toEqual(both);
    }
    expect((await revisions(world, id)).resources).toHaveLength(1);
    await change(world, id, {
      secrets: [
        { name: 'C', value: 'three' },
        { name: 'B', value: MASK },
      ],
    });
    expect(await stored(world, id)).toEqual([
      { name: 'C', value: 'three' },
      { name: 'B', value: 'two' },
    ]);
    expect((await change(world, id, { clear_secrets: true, secrets: [] })).secrets).toEqual([]);
    expect(await stored(world, id)).toEqual([]);
    expect((await revisions(world, id)).resources).toHaveLength(3);
    await change(world, id, { secrets: both });
    expect(await stored(world, id)).toEqual(both);
  });

  it('is empty in each deploy of a client that has no .env, and the secrets stay', async () => {
    const { world, id } = await withSecrets(both);
    const source = { source_revision_config: { repo_ref: 'next' } };
    await change(world, id, { ...source, secrets: [] });
    await postRevision(world, id, { secrets: [] });
    // The client's own key is all that there was in the file.
    await change(world, id, { ...source, secrets: [{ name: 'LANGGRAPH_HOST_API_KEY', value: 'k' }] });
    expect((await show(world, id)).secrets.map(({ name }) => name)).toEqual(['A', 'B']);
    expect(await stored(world, id)).toEqual(both);
    for (const { revision_config: _, ...revision } of await revisionItems(world, id))
      expect(revision).toMatchObject({ secrets: 1 });
    await postRevision(world, id, { clear_secrets: true });
    expect(await stored(world, id)).toEqual([]);
    expect((await revisionItems(world, id)).at(-1)).not.toHaveProperty('secrets');
  });

  it('that is the same makes no new version', async () => {
    const { world, id } = await withSecrets(both);
    const versions = async () =>
      (await allItems(world.deps.table)).filter((item) => item.entity === 'secrets').length;
    await change(world, id, { secrets: both.map(({ name }) => ({ name, value: MASK })) });
    await change(world, id, { secrets: both });
    expect(await versions()).toBe(1);
    await change(world, id, { secrets: [both[0]] });
    expect(await versions()).toBe(2);
  });

  it('with the mask for a name that is not there is 422, and the answer shows no value', async () => {
    const { world, id } = await withSecrets(both);
    const secrets = [
      { name: 'A', value: MASK },
      { name: 'X', value: MASK },
      { name: 'Y', value: MASK },
    ];
    const { status, detail } = await refusal(change(world, id, { secrets }));
    expect(status).toBe(422);
    expect(detail).toEqual([
      { loc: ['body', 'secrets', 1, 'value'], type: 'value_error', msg: expect.stringContaining('X') },
      { loc: ['body', 'secrets', 2, 'value'], type: 'value_error', msg: expect.stringContaining('Y') },
    ]);
    expect((await revisions(world, id)).resources).toHaveLength(1);
  });

  it('drops the client’s own key', async () => {
    const { world, id } = await withSecrets([{ name: 'LANGGRAPH_HOST_API_KEY', value: 'k' }, ...both]);
    expect(await stored(world, id)).toEqual(both);
    expect((await show(world, id)).secrets.map(({ name }) => name)).toEqual(['A', 'B']);
  });
});

const secret = (name: string, value = 'a value') => ({ name, value });
const reference = (name: string, secret_name = 's') => ({ name, secret_name, secret_key: 'k' });
const refused = (...place: (string | number)[]) => ({
  status: 422,
  detail: [
    {
      loc: ['body', ...place, 'name'],
      type: 'value_error',
      msg: expect.stringMatching(/A is the name of a secret and of a secret reference/),
    },
  ],
});

async function made(more: object = {}): Promise<{ world: World; id: string }> {
  const world = await aWorld();
  await register(world, 'cluster', { compute_type: 'k8s', compute_config: { k8s_namespaces: ['one'] } });
  return { world, id: (await post(world, github('a', more))).id };
}

describe('a name of a secret', () => {
  it('is not that of a reference too, whichever of them is stored', async () => {
    const { world, id } = await made({ secrets: [secret('A')] });
    const both = { secrets: [secret('B'), secret('A')], secret_references: [reference('A')] };
    for (const ask of [change, postRevision]) {
      const references = { secret_references: [reference('C'), reference('A')] };
      expect(await refusal(ask(world, id, references))).toEqual(refused('secret_references', 1));
      expect(await refusal(ask(world, id, both))).toEqual(refused('secret_references', 0));
    }
    await change(world, id, { secret_references: [reference('A')], clear_secrets: true });
    expect(await refusal(change(world, id, { secrets: [secret('B'), secret('A')] }))).toEqual(
      refused('secrets', 1),
    );
    // One takes the place of the other in one request.
    await change(world, id, { secrets: [secret('A')], secret_references: [] });
    expect(await show(world, id)).toMatchObject({ secrets: [{ name: 'A' }], secret_references: [] });
  });

  it('that an earlier release took for both is in the way of nothing else, and can be sent back', async () => {
    const { world, id } = await made({ secrets: [secret('A'), secret('B')] });
    const at = deploymentKey(world.caller.tenantId, id);
    const set = { secret_references: [reference('A')] };
    await transact(world.deps.table, [update('deployment', at, { set })]);
    await change(world, id, { source_config: { build_on_push: true } });
    await change(world, id, await show(world, id));
    await change(world, id, { secrets: [secret('A'), secret('B', 'another'), secret('C')] });
    await change(world, id, { secret_references: [reference('A'), reference('D')] });
    expect((await show(world, id)).secrets.map(({ name }) => name)).toEqual(['A', 'B', 'C']);
    expect(await refusal(change(world, id, { secrets: [secret('A', 'new')] }))).toEqual(
      refused('secrets', 0),
    );
    expect(await refusal(change(world, id, { secret_references: [reference('A', 'new')] }))).toEqual(
      refused('secret_references', 0),
    );
    await change(world, id, { secrets: [secret('B', MASK)] });
    expect(await refusal(change(world, id, { secrets: [secret('A')] }))).toEqual(refused('secrets', 0));
  });
});
