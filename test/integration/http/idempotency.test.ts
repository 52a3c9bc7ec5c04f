import { gzipSync } from 'node:zlib';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { type Asked, ask, creating, manyAtOnce, start } from '../../support/http/keyed-requests.ts';
import { putAll } from '../../support/table/put-all.ts';
import { github, list, post, revisions } from '../../support/world/requests.ts';
import { allItems, type World } from '../../support/world/world.ts';

describe('a request that is sent again under its Idempotency-Key', () => {
  it('gets the answer of the first, and changes nothing', async () => {
    const { world, apiKey } = await start();
    const first = await ask(world, creating(apiKey));
    world.advance(600);
    const again = await ask(world, creating(apiKey));
    expect([first.statusCode, again.statusCode]).toEqual([201, 201]);
    expect(again.body).toBe(first.body);
    expect(again.headers).toMatchObject({
      'idempotent-replayed': 'true',
      'content-type': 'application/json',
      ETag: first.headers?.ETag,
    });
    expect((await list(world)).resources).toHaveLength(1);
  });

  it('gets the answer that an earlier version has kept, by gzip', async () => {
    const { world, apiKey } = await start();
    const first = await ask(world, creating(apiKey));
    const kept = (await allItems(world.deps.table)).filter(
      (item) => 'request_hash' in item && 'body' in item,
    );
    expect(kept).toHaveLength(1);
    await putAll(
      world.deps.table,
      kept.map((item) => ({ ...item, body: gzipSync(first.body ?? '') })),
    );
    const again = await ask(world, creating(apiKey));
    expect(again.body).toBe(first.body);
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
  });

  it('gets the refusal of the first too: 400, 404 and 409, but no other', async () => {
    const { world, apiKey } = await start();
    const id = world.deps.clock.randomId();
    const patching = (key: string): Asked => {
      return { operation: 'patchDeployment', params: { deployment_id: id }, body: {}, key, apiKey };
    };
    const missing = await ask(world, patching('k-404'));
    expect([missing.statusCode, (await ask(world, patching('k-404'))).headers]).toEqual([
      404,
      expect.objectContaining({ 'idempotent-replayed': 'true' }),
    ]);
    const contradictory = github('x', { source: 'external_docker' });
    await ask(world, creating(apiKey, contradictory, 'k-400'));
    expect(await ask(world, creating(apiKey, contradictory, 'k-400'))).toMatchObject({
      statusCode: 400,
      headers: { 'idempotent-replayed': 'true' },
    });
    const wrong = { ...github('Not A Name') };
    await ask(world, creating(apiKey, wrong, 'k-422'));
    const unkept = await ask(world, creating(apiKey, wrong, 'k-422'));
    expect(unkept.statusCode).toBe(422);
    expect(unkept.headers).not.toHaveProperty('idempotent-replayed');
    expect((await ask(world, creating(apiKey, github('right'), 'k-422'))).statusCode).toBe(201);
  });

  it('is told again which of its fields are ignored', async () => {
    const { world, apiKey } = await start();
    const misspelt = creating(apiKey, github('misspelt', { secret: [{ name: 'A', value: 'b' }] }));
    for (const isReplayed of [undefined, 'true'])
      expect(await ask(world, misspelt)).toMatchObject({
        statusCode: 201,
        headers: {
          'X-Slipway-Ignored': 'secret',
          ...(isReplayed !== undefined && { 'idempotent-replayed': isReplayed }),
        },
      });
  });

  it('is 409 when it asks for something else', async () => {
    const { world, apiKey } = await start();
    await ask(world, creating(apiKey));
    const other = await ask(world, creating(apiKey, github('other')));
    expect([other.statusCode, other.json.detail]).toEqual([
      409,
      'Idempotency-Key was used for another request',
    ]);
    const secret = github('once', { secrets: [{ name: 'A', value: 'another value' }] });
    expect((await ask(world, creating(apiKey, secret))).statusCode).toBe(409);
  });

  it('is another request when somebody else asks, and after a day', async () => {
    const { world, apiKey, other } = await start();
    await ask(world, creating(apiKey));
    const someone = await ask(world, creating(other));
    expect([someone.statusCode, someone.json.detail]).toEqual([
      409,
      "Deployment with name 'once' already exists.",
    ]);
    world.advance(24 * 3600 + 1);
    expect((await ask(world, creating(apiKey))).statusCode).toBe(409);
  });

  it('must carry a key of at most 255 characters', async () => {
    const { world, apiKey } = await start();
    const { statusCode, json } = await ask(world, creating(apiKey, github('once'), 'k'.repeat(256)));
    expect([statusCode, json.detail]).toEqual([
      422,
      [expect.objectContaining({ loc: ['header', 'Idempotency-Key'], type: 'string_too_long' })],
    ]);
  });

  it('never has a secret or the key itself in what is kept', async () => {
    const { world, apiKey } = await start();
    const secrets = [{ name: 'TOKEN', value: 'canary-of-a-secret' }];
    await ask(world, creating(apiKey, github('once', { secrets }), 'canary-of-a-key'));
    const stored = JSON.stringify(await allItems(world.deps.table), (_, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    );
    expect(stored).not.toContain('canary');
  });
});

/** test/fuzz asks a thousand times at once, as is promised. */
it('makes one deployment and equal answers of a hundred requests at once', async () => {
  expect(await manyAtOnce(100)).toEqual({ statuses: [201], bodies: 1, deployments: 1 });
});

async function deployed(world: World): Promise<{ deployment_id: string; revision_id: string }> {
  const made = await post(world, github('there'));
  return { deployment_id: made.id, revision_id: made.latest_revision_id };
}

/** Some requests write before they change what they are about. */
const keepsAnswer = (input: object): boolean =>
  // Asked only of a command of this name.
  ((input as TransactWriteCommandInput).TransactItems ?? []).some(
    ({ Put }) => Put?.Item?.entity === 'answer',
  );

/** Every other operation that takes a key is tried over HTTP in every-route.test.ts. */
it('a change whose answer never arrived is made once, and answered', async () => {
  const { world, apiKey } = await start();
  const { middlewareStack } = world.deps.table.client;
  middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        // As if the process had died when the change was made and before anybody heard of it.
        if (commandName === 'TransactWriteItemsCommand' && keepsAnswer(args.input)) throw new Error('died');
        return result;
      },
    { step: 'initialize', name: 'dies' },
  );
  expect((await ask(world, creating(apiKey))).statusCode).toBe(500);
  middlewareStack.remove('dies');
  const before = await allItems(world.deps.table);
  const answer = await ask(world, creating(apiKey));
  expect(answer.statusCode).toBe(201);
  expect(answer.headers).toMatchObject({ 'idempotent-replayed': 'true' });
  expect(await allItems(world.deps.table)).toEqual(before);
});

it('keeps the answer to what changed nothing beside it', async () => {
  const { world, apiKey } = await start();
  const params = await deployed(world);
  const asked = { operation: 'interruptRevision', params, apiKey };
  await ask(world, asked);
  const first = await ask(world, { ...asked, key: 'k' });
  const again = await ask(world, { ...asked, key: 'k' });
  expect([first.statusCode, again.statusCode, again.body]).toEqual([200, 200, first.body]);
  expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
  expect((await revisions(world, params.deployment_id)).resources).toHaveLength(1);
});
