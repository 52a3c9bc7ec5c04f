import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import { create as createEvents } from '../../../functions/streams/events.ts';
import { ValidationError } from '../../../lib/contract/errors.ts';
import type { TokenEvent } from '../../../lib/contract/events.ts';
import { FeedWriter } from '../../../lib/core/events/feed-writer.ts';
import { listEvents } from '../../../lib/features/events/list.ts';
import { listEvents as row } from '../../../lib/features/events/routes.ts';
import { remove as removeItem } from '../../../lib/store/dynamodb/expressions.ts';
import { write } from '../../../lib/store/dynamodb/write.ts';
import { feedEventKey } from '../../../lib/store/keys/events.ts';
import { interruptedAt } from '../../support/table/stepwise.ts';
import { until } from '../../support/until.ts';
import { change, github, post } from '../../support/world/requests.ts';
import { aRunningWorld } from '../../support/world/running-world.ts';
import * as steps from '../../support/world/steps.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

const list = (
  world: Pick<World, 'deps' | 'caller'>,
  query: Record<string, string> = {},
  headers: { accept?: string; lastEventId?: string } = {},
) => listEvents(world.deps, { query: row.query.parse(query), headers }, world.caller);

const numbersOf = async (world: World, query: Record<string, string> = {}) =>
  (await list(world, query)).resources.map(({ number }) => number);

const upTo = (count: number, from = 1) => Array.from({ length: count - from + 1 }, (_, at) => from + at);

/** Waits until the feed has so many events; a new deployment has four until its build ends. */
const hasFed = (world: World, count: number) =>
  until(async () => (await list(world)).after >= count && list(world), {
    what: `${count} events in the feed`,
  });

describe('the feed', () => {
  it('has every event of every deployment, numbered by the tenant, as it was published', async () => {
    const world = await aRunningWorld();
    const one = await post(world, github('one'));
    const two = await post(world, github('two'));
    await steps.deploy(world, one.id, one.latest_revision_id);
    await until(() => world.deps.events.published().length >= 12, { what: 'events' });
    const { resources, after, missed } = await hasFed(world, 12);
    expect(resources.map(({ number }) => number)).toEqual(upTo(resources.length));
    expect({ after, missed }).toEqual({ after: resources.length, missed: 0 });
    const fed = new Map(resources.map(({ number: _, ...event }) => [event.id, event]));
    expect(fed.size).toBe(resources.length);
    for (const event of world.deps.events.published()) expect(fed.get(event.id)).toEqual(event);
    for (const { id } of [one, two]) {
      const own = resources.filter((event) => 'deployment_id' in event && event.deployment_id === id);
      expect(own.map(({ sequence }) => sequence)).toEqual(upTo(own.length));
    }
  });

  it('goes on after a number, page by page, and says when there is nothing more', async () => {
    const world = await aRunningWorld();
    await post(world, github('a'));
    await hasFed(world, 4);
    expect(await numbersOf(world, { limit: '2' })).toEqual([1, 2]);
    expect(await numbersOf(world, { after: '1', limit: '1' })).toEqual([2]);
    const { after } = await list(world);
    expect(await list(world, { after: String(after) })).toEqual({ resources: [], after, missed: 0 });
    await expect(list(world, { after: String(after + 1) })).rejects.toThrow(ValidationError);
  });

  it('has the events of one deployment for who asks for them, and goes on behind those of others', async () => {
    const world = await aRunningWorld();
    const one = await post(world, github('one'));
    const first = await hasFed(world, 4);
    await post(world, github('two'));
    const { resources, after } = await hasFed(world, first.after + 4);
    const own = resources
      .filter((event) => 'deployment_id' in event && event.deployment_id === one.id)
      .map(({ number }) => number);
    const of = { deployment_id: one.id.toUpperCase() };
    expect(own.length).toBeGreaterThanOrEqual(4);
    expect(await numbersOf(world, of)).toEqual(own);
    expect(await list(world, { ...of, after: '1', limit: '2' })).toMatchObject({
      resources: [{ number: own[1] }, { number: own[2] }],
      after: own[2],
      missed: 0,
    });
    expect(await list(world, { ...of, after: `${own.at(-1)}` })).toEqual({ resources: [], after, missed: 0 });
    const unknown = { deployment_id: crypto.randomUUID() };
    expect(await list(world, { ...unknown, after: '0' })).toEqual({ resources: [], after, missed: 0 });
    const gone = AbortSignal.abort();
    const query = row.query.parse(of);
    const headers = { accept: 'text/event-stream', lastEventId: String(own.at(-1)) };
    expect(await listEvents(world.deps, { query, headers, gone }, world.caller)).toMatchObject({ after });
  });

  it('begins after the newest event for who asks for that, and a number that is given counts more', async () => {
    const world = await aRunningWorld();
    expect(await list(world, { newest: 'true' })).toEqual({ resources: [], after: 0, missed: 0 });
    await post(world, github('a'));
    await hasFed(world, 4);
    const { resources, after, missed } = await list(world, { newest: 'true' });
    expect([resources, missed]).toEqual([[], 0]);
    expect(await numbersOf(world)).toEqual(upTo(after));
    expect((await numbersOf(world, { newest: 'true', after: '2' }))[0]).toBe(3);
    expect((await numbersOf(world, { newest: 'false' }))[0]).toBe(1);
  });

  it('says how many events expired before they were read', async () => {
    const world = await aRunningWorld();
    await post(world, github('a'));
    const { after } = await hasFed(world, 4);
    const { tenantId } = world.caller;
    const expire = (number: number) =>
      write(world.deps.table, removeItem('feed_event', feedEventKey(tenantId, number)));
    await expire(1);
    await expire(2);
    expect(await list(world, { after: '0' })).toMatchObject({ missed: 2, after });
    expect(await list(world, { after: '1' })).toMatchObject({ missed: 1, after });
    expect(await list(world)).toMatchObject({ missed: 0, after });
    for (const number of upTo(after, 3)) await expire(number);
    expect(await list(world, { after: '0' })).toEqual({ resources: [], missed: after, after });
  });

  it('keeps events for thirty days', async () => {
    const world = await aRunningWorld();
    await post(world, github('a'));
    await hasFed(world, 4);
    const items = (await allItems(world.deps.table)).filter(({ entity }) => entity === 'feed_event');
    for (const { ttl } of items) {
      const days = (Number(ttl) - Date.now() / 1000) / 86_400;
      expect(Math.round(days)).toBe(30);
    }
  });

  it('is of the tenant alone', async () => {
    const world = await aRunningWorld();
    await post(world, github('a'));
    await hasFed(world, 4);
    expect(await list(world.as())).toEqual({ resources: [], after: 0, missed: 0 });
  });

  it('gives no event a second number, however often its record is delivered', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('a'));
    await steps.deploy(world, id, revisionId);
    await hasFed(world, 8);
    const before = await list(world);
    for (let n = 0; n < 2; n++)
      expect(await createEvents(() => world.deps)({ Records: world.records() })).toEqual({
        batchItemFailures: [],
      });
    expect(await list(world)).toEqual(before);
  });

  it('loses nothing and numbers nothing twice when the consumer dies at any of its requests', async () => {
    const world = await aRunningWorld();
    await post(world, github('whole'));
    const { after: whole } = await hasFed(world, 4);
    await world.loseStream();
    const Records = world.records();
    for (let at = 0; ; at++) {
      const fresh = await aWorld();
      const caller = { ...fresh.caller, tenantId: world.caller.tenantId };
      const died = interruptedAt(fresh.deps, at, () => Promise.reject(new Error('killed')));
      const answer = await createEvents(() => died.deps)({ Records });
      if (died.calls() <= at) break;
      expect(answer.batchItemFailures.length).toBeGreaterThan(0);
      expect(await createEvents(() => fresh.deps)({ Records })).toEqual({ batchItemFailures: [] });
      expect(await numbersOf({ ...fresh, caller })).toEqual(upTo(whole));
    }
  });
});

const tokenEvent = (world: World, version: number): TokenEvent => ({
  id: `token:${version}:renewed`,
  type: 'oauth_token.renewed',
  sequence: version,
  at: new Date().toISOString(),
  tenant_id: world.caller.tenantId,
  token_id: 'token',
  provider_id: 'provider',
});

it('several writers of one feed take turns: numbers have no gaps, and each event is there once', async () => {
  const world = await aWorld();
  const writers = [new FeedWriter(), new FeedWriter(), new FeedWriter()];
  const append = (writer: FeedWriter, version: number) =>
    writer.append(world.deps, world.caller.tenantId, async () => ({
      writes: [],
      events: [tokenEvent(world, version)],
      again: false,
      marked: true,
      result: undefined,
    }));
  await Promise.all(
    writers.flatMap((writer, at) => upTo(10).map((version) => append(writer, 10 * at + version))),
  );
  const { resources } = await list(world);
  expect(resources.map(({ number }) => number)).toEqual(upTo(30));
  expect(new Set(resources.map(({ id }) => id)).size).toBe(30);
});

it('more events of one deployment than a transaction takes are stored in order', async () => {
  const world = await aRunningWorld();
  const { id } = await post(world, github('a'));
  await hasFed(world, 4);
  await world.loseStream();
  const revisions = 25;
  for (let n = 0; n < revisions; n++)
    await change(world, id, { source_revision_config: { repo_ref: `branch-${n}` } });
  world.advance(61);
  const items = await allItems(world.deps.table);
  const last = items.find((item) => item.entity === 'revision' && item.number === revisions + 1);
  const NewImage = marshall(last ?? {}) as never;
  const Keys = marshall({ pk: last?.pk, sk: last?.sk }) as never;
  const record = { eventName: 'INSERT' as const, dynamodb: { SequenceNumber: '1', Keys, NewImage } };
  expect(await createEvents(() => world.deps)({ Records: [record] })).toEqual({ batchItemFailures: [] });
  const { resources } = await list(world, { limit: '1000' });
  expect(resources.length).toBeGreaterThan(2 * revisions);
  expect(resources.map(({ number }) => number)).toEqual(upTo(resources.length));
  expect(resources.map(({ sequence }) => sequence)).toEqual(upTo(resources.length));
  expect(new Set(resources.map((event) => event.id)).size).toBe(resources.length);
});

describe('who follows the feed as an event stream', () => {
  it('is answered as soon as there is something, after the last event that it has seen', async () => {
    const world = await aRunningWorld();
    await post(world, github('a'));
    const { after } = await hasFed(world, 4);
    const accept = 'text/event-stream';
    expect((await list(world, {}, { accept, lastEventId: '1' })).resources[0]?.number).toBe(2);
    const waiting = list(world, {}, { accept, lastEventId: String(after) });
    const slots = async () =>
      (await allItems(world.deps.table)).filter(({ entity }) => entity === 'follower_slot').length;
    await until(async () => (await slots()) > 0, { what: 'a follower' });
    await post(world, github('b'));
    expect((await waiting).resources[0]?.number).toBe(after + 1);
    await expect(list(world, {}, { accept, lastEventId: 'x' })).rejects.toThrow(ValidationError);
  });
});
