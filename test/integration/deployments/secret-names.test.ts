import { describe, expect, it } from 'vitest';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { deploymentKey } from '../../../lib/store/keys/index.ts';
import { change, github, post, postRevision, refusal, register, show } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const MASK = '**********';
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
