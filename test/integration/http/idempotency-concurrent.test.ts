import { TransactionCanceledException, type TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemPatience } from '../../../lib/store/dynamodb/patience.ts';
import { type Asked, ask, creating, start } from '../../support/http/keyed-requests.ts';
import { github, list, post, show } from '../../support/world/requests.ts';
import type { World } from '../../support/world/world.ts';

type Sent = { name: string; input: unknown; nth: number };

/**
 * Asks `decide` about each command before it is sent; what that awaits holds the command up, what it throws
 * answers it.
 */
function intercept({ deps }: World, decide: (sent: Sent) => Promise<void> | void): void {
  const counts = new Map<string, number>();
  deps.table.client.middlewareStack.add(
    (next, { commandName: name = '' }) =>
      async (args) => {
        const nth = (counts.get(name) ?? 0) + 1;
        counts.set(name, nth);
        await decide({ name, input: args.input, nth });
        return next(args);
      },
    { step: 'initialize', name: 'intercept' },
  );
}

/** Something that a request gets to and stays at. */
function gate() {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const pass = () => {
    reached.resolve();
    return opened.promise;
  };
  return { pass, reached: reached.promise, open: opened.resolve };
}

const TRANSACT = 'TransactWriteItemsCommand';
const isAnswers = (key: unknown): boolean => /^T#.*#I#/.test((key as { pk: string }).pk);

const readsAnswer = ({ name, input }: Sent): boolean =>
  name === 'GetItemCommand' && isAnswers((input as { Key: unknown }).Key);

/**
 * How DynamoDB answers when another transaction is at work on one item of this one: the answer, or all but
 * that.
 */
function conflict(input: unknown, onAnswer: boolean): TransactionCanceledException {
  const { TransactItems = [] } = input as TransactWriteItemsCommandInput;
  const CancellationReasons = TransactItems.map(({ Put }) => ({
    Code: isAnswers(Put?.Item ?? { pk: '' }) === onAnswer ? 'TransactionConflict' : 'None',
  }));
  return new TransactionCanceledException({ message: 'cancelled', $metadata: {}, CancellationReasons });
}

const replayed = { headers: { 'idempotent-replayed': 'true' } };

describe('of two requests under one key at the same time', () => {
  it('the second does the work while the first is held up, and the first gets its answer', async () => {
    const { world, apiKey } = await start();
    const { pass, reached, open } = gate();
    intercept(world, ({ name, nth }) => (name === TRANSACT && nth === 1 ? pass() : undefined));
    const first = ask(world, creating(apiKey));
    await Promise.race([reached, first]);
    // However long that lasts: nothing of the first stands in the way.
    world.advance(3600);
    const second = await ask(world, creating(apiKey));
    expect(second.statusCode).toBe(201);
    expect(second.headers).not.toHaveProperty('idempotent-replayed');
    open();
    expect(await first).toMatchObject({ ...replayed, statusCode: 201, body: second.body });
    expect((await list(world)).resources).toHaveLength(1);
  });

  it('the first gets the answer of the second also where it finds a version that it did not ask for', async () => {
    const { world, apiKey } = await start();
    const { id } = await post(world, github('there'));
    const { pass, reached, open } = gate();
    let held = false;
    intercept(world, ({ name, input }) => {
      const isItem = name === 'GetItemCommand' && JSON.stringify(input).includes(`#D#${id}`);
      if (held || !isItem) return;
      held = true;
      return pass();
    });
    const patching: Asked = {
      operation: 'patchDeployment',
      params: { deployment_id: id },
      body: { tracked_packages: ['a'] },
      headers: { 'if-match': '"1"' },
      key: 'k',
      apiKey,
    };
    const first = ask(world, patching);
    await Promise.race([reached, first]);
    const second = await ask(world, patching);
    open();
    expect(await first).toMatchObject({ ...replayed, statusCode: 200, body: second.body });
    expect(await show(world, id)).toMatchObject({ config_version: 2 });
    expect((await ask(world, { ...patching, key: 'other' })).statusCode).toBe(412);
  });
});

describe('a request whose transaction meets another one under its key for longer than 5 s', () => {
  let later = 0;
  beforeEach(() => {
    later = 0;
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + later);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /**
   * The first transaction is held up; of every later one DynamoDB says that it meets another, and 6 s go by.
   */
  async function contended(onAnswer = true) {
    const { world, apiKey } = await start();
    // Moved on here is the machine's clock, not the slow one of other tests, and one that stands.
    world.deps.table.patience = systemPatience;
    const begin = world.deps.clock.now();
    world.deps.clock.now = () => begin + later;
    const { pass, reached, open } = gate();
    const seen = { looks: 0, onLook: async (_: number): Promise<void> => undefined };
    let frees = false;
    intercept(world, async (sent) => {
      if (sent.name === TRANSACT && sent.nth === 1) await pass();
      else if (sent.name === TRANSACT && !frees) {
        later += 6_000;
        throw conflict(sent.input, onAnswer);
      } else if (readsAnswer(sent) && sent.nth > 1) {
        await seen.onLook(++seen.looks);
      }
    });
    const first = ask(world, creating(apiKey));
    await Promise.race([reached, first]);
    const free = () => {
      frees = true;
      open();
      return first;
    };
    seen.looks = -1; // The next look is that at the beginning.
    return { world, apiKey, free, seen };
  }

  it('waits for its answer, and gets it', async () => {
    const { world, apiKey, free, seen } = await contended();
    seen.onLook = async (look) => {
      if (look === 2) await free();
    };
    const second = await ask(world, creating(apiKey));
    expect(second).toMatchObject({ ...replayed, statusCode: 201, body: (await free()).body });
    expect(seen.looks).toBe(2);
  });

  it('is 409 when there is none 20 s after it began, which is not kept', async () => {
    const { world, apiKey, free, seen } = await contended();
    seen.onLook = async (look) => {
      if (look > 0) later += 7_500;
    };
    const second = await ask(world, creating(apiKey));
    expect(second).toMatchObject({ statusCode: 409, headers: { 'retry-after': '2' } });
    expect(second.json.detail).toBe(
      'A request with this Idempotency-Key is still in progress; send it again.',
    );
    expect(seen.looks).toBe(2);
    const { body } = await free();
    expect(await ask(world, creating(apiKey))).toMatchObject({ ...replayed, statusCode: 201, body });
  });

  it('is told the same about a refusal that it wants to keep', async () => {
    const { world, apiKey, free, seen } = await contended();
    seen.onLook = async (look) => {
      if (look > 0) later += 15_000;
    };
    const contradictory = creating(apiKey, github('x', { source: 'external_docker' }));
    expect(await ask(world, contradictory)).toMatchObject({
      statusCode: 409,
      headers: { 'retry-after': '2' },
    });
    await free();
    expect((await ask(world, contradictory)).json.detail).toBe(
      'Idempotency-Key was used for another request',
    );
  });

  it('does not wait, and is 503, where it meets others; unless the answer is there', async () => {
    const { world, apiKey, free, seen } = await contended(false);
    expect((await ask(world, creating(apiKey))).statusCode).toBe(503);
    expect(seen.looks).toBe(1);
    seen.onLook = async (look) => {
      if (look === 3) await free();
    };
    expect(await ask(world, creating(apiKey))).toMatchObject({ ...replayed, statusCode: 201 });
  });
});
