import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { create as createEvents } from '../../../functions/streams/events.ts';
import type { Events } from '../../../lib/adapters/events.ts';
import type { DeploymentEvent } from '../../../lib/contract/events.ts';
import { remove as removeItem } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { eventCountKey } from '../../../lib/store/keys/events.ts';
import { deploymentKey, type Key, revisionKey } from '../../../lib/store/keys/index.ts';
import { until } from '../../support/until.ts';
import { complete } from '../../support/world/listening.ts';
import { change, github, interrupt, post, remove, showRevision } from '../../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../../support/world/running-world.ts';
import * as steps from '../../support/world/steps.ts';
import { buildStarted } from '../../support/world/steps.ts';
import { allItems } from '../../support/world/world.ts';

/** Lambda's types of values are the SDK's but for binary ones. */
type DynamoDBRecordKeys = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['Keys']>;

const publishedOf = (world: RunningWorld, deploymentId: string): DeploymentEvent[] =>
  world.deps.events.published().filter((event) => event.deployment_id === deploymentId);

/** Waits until so many different events of a deployment were published. */
const hears = (world: RunningWorld, deploymentId: string, count: number) =>
  until(
    () => {
      const events = publishedOf(world, deploymentId);
      return new Set(events.map(({ id }) => id)).size >= count && events;
    },
    { what: `${count} events` },
  );

const shown = ({ sequence, type, status }: DeploymentEvent): string =>
  `${sequence} ${status ?? type.replace('deployment.', '')}`;

const LIFE = [
  '1 created',
  '2 CREATING',
  '3 QUEUED',
  '4 AWAITING_BUILD',
  '5 BUILDING',
  '6 AWAITING_DEPLOY',
  '7 DEPLOYING',
  '8 DEPLOYED',
];

describe('who follows a deployment', () => {
  it('hears of its creation, of every status and of its end, in order', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await steps.deploy(world, id, revisionId);
    const events = await hears(world, id, LIFE.length);
    expect(events.map(shown)).toEqual(LIFE);
    const { status_history: history } = await showRevision(world, id, revisionId);
    expect(events.slice(1).map(({ at }) => at)).toEqual(history.map(({ at }) => at));
    expect(events[7]).toEqual({
      id: `${revisionId}:6`,
      type: 'revision.status_changed',
      sequence: 8,
      at: history[6]?.at,
      tenant_id: world.caller.tenantId,
      deployment_id: id,
      revision_id: revisionId,
      status: 'DEPLOYED',
    });
    await remove(world, id);
    const task = await steps.claimed(world);
    await complete(world, task, 'succeeded');
    await steps.isGone(world, id);
    const last = (await hears(world, id, LIFE.length + 1)).at(-1);
    expect(last).toMatchObject({ type: 'deployment.deleted', sequence: 9, id: `${id}:deleted` });
  });

  it('hears of revisions that wait beside the one that is processed, each in its turn', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await post(world, github('app'));
    const { latest_revision_id: second } = await change(world, id, {
      source_revision_config: { repo_ref: 'next' },
    });
    await interrupt(world, id, second);
    await steps.deploy(world, id, first);
    const events = await hears(world, id, LIFE.length + 3);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
    const of = (revisionId: string) =>
      events.filter(({ revision_id }) => revision_id === revisionId).map(({ status }) => status);
    expect(of(second)).toEqual(['CREATING', 'QUEUED', 'INTERRUPTED']);
    expect(of(first)).toHaveLength(7);
  });

  it('is told no configuration', async () => {
    const world = await aRunningWorld();
    const body = github('app', { secrets: [{ name: 'A', value: 'hidden-value' }] });
    const { id } = await post(world, body);
    const events = await hears(world, id, 3);
    const names = new Set(events.flatMap((event) => Object.keys(event)));
    const known = ['id', 'type', 'sequence', 'at', 'tenant_id', 'deployment_id', 'revision_id', 'status'];
    expect([...names].filter((name) => !known.includes(name))).toEqual([]);
  });
});

/** The records of a world's stream that come from now on, as the consumer is called with them. */
async function recorded(world: RunningWorld, deploymentId: string): Promise<DynamoDBRecord[]> {
  const { tenantId } = world.caller;
  const { pk } = deploymentKey(tenantId, deploymentId);
  return world.records().filter(({ dynamodb }) => dynamodb?.Keys?.pk?.S === pk);
}

/** The record of a revision that has just been made. */
async function revisionImage({ deps: { table } }: RunningWorld, key: Key): Promise<DynamoDBRecord> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true }),
  );
  const Keys = marshall(key) as DynamoDBRecordKeys;
  const NewImage = marshall(Item ?? {}) as DynamoDBRecordKeys;
  return { eventName: 'INSERT', dynamodb: { SequenceNumber: '1', Keys, NewImage } };
}

describe('a record that is delivered again', () => {
  it('is told under the numbers it has, and moves no others', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await steps.deploy(world, id, revisionId);
    const first = [...(await hears(world, id, LIFE.length))];
    const records = await recorded(world, id);
    const consume = createEvents(() => world.deps);
    expect(await consume({ Records: records })).toEqual({ batchItemFailures: [] });
    expect(publishedOf(world, id).slice(first.length)).toEqual(first);
    await consume({ Records: records.slice(-3) });
    const again = publishedOf(world, id).slice(2 * first.length);
    expect(again.length).toBeGreaterThan(0);
    for (const event of again) expect(first).toContainEqual(event);
  });

  it('is numbered on from where another instance of the consumer had got to', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await steps.deploy(world, id, revisionId);
    const first = [...(await hears(world, id, LIFE.length))];
    const { deps, caller } = world;
    const records = await recorded(world, id);
    await transact(deps.table, [removeItem('event_count', eventCountKey(caller.tenantId, id))]);
    const instances = [createEvents(() => deps), createEvents(() => deps)];
    for (const [index, record] of records.entries()) await instances[index % 2]?.({ Records: [record] });
    expect(publishedOf(world, id).slice(first.length)).toEqual(first);
  });

  it('that cannot be read is reported, and those of other deployments are told', async () => {
    const world = await aRunningWorld();
    const { id } = await post(world, github('app'));
    await hears(world, id, 3);
    const [record] = await recorded(world, id);
    if (record?.dynamodb?.NewImage === undefined) throw new Error('no record');
    const other = deploymentKey(world.caller.tenantId, 'other');
    const broken = {
      eventName: 'INSERT' as const,
      dynamodb: {
        SequenceNumber: 'broken',
        Keys: { pk: { S: other.pk }, sk: { S: other.sk } },
        NewImage: { entity: { S: 'deployment' } },
      },
    };
    const before = publishedOf(world, id).length;
    const answer = await createEvents(() => world.deps)({ Records: [broken, record] });
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'broken' }] });
    expect(publishedOf(world, id).length).toBeGreaterThan(before);
  });
});

describe('what the stream has lost', () => {
  const next = { source_revision_config: { repo_ref: 'next' } };

  /** A deployment whose second revision was made and deployed while nobody read the stream. */
  async function outage() {
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await post(world, github('app'));
    await steps.deploy(world, id, first);
    await hears(world, id, LIFE.length);
    await world.loseStream();
    const { latest_revision_id: second } = await change(world, id, next);
    for (const forward of [
      async () => buildStarted(world, second),
      async () => world.deps.builds.succeed(second),
      async () => steps.reaches(world, id, second, 'AWAITING_DEPLOY'),
      async () => complete(world, await steps.claimed(world), 'succeeded'),
      async () => steps.reaches(world, id, second, 'DEPLOYED'),
    ]) {
      world.advance(61);
      await world.sweep();
      await forward();
    }
    const events = () => publishedOf(world, id).slice(LIFE.length);
    expect(events()).toEqual([]);
    return { world, id, second, events };
  }
  const MISSED = [
    '9 CREATING',
    '10 QUEUED',
    '11 AWAITING_BUILD',
    '12 BUILDING',
    '13 AWAITING_DEPLOY',
    '14 DEPLOYING',
    '15 DEPLOYED',
  ];

  it('is told by sweep, once and in order', async () => {
    const { world, events } = await outage();
    world.advance(3601);
    await world.sweep();
    expect(events().map(shown)).toEqual(MISSED);
    world.advance(3601);
    expect(await world.sweep()).toEqual({ looked: 0, left: 0 });
    expect(events().map(shown)).toEqual(MISSED);
  });

  it('is told before what comes next', async () => {
    const { world, id, events } = await outage();
    await change(world, id, next);
    const { tenantId } = world.caller;
    const third = await revisionImage(world, revisionKey(tenantId, id, 3));
    await createEvents(() => world.deps)({ Records: [third] });
    expect(events().map(shown)).toEqual([...MISSED, '16 CREATING', '17 QUEUED']);
  });

  it('is told before a deletion takes the histories', async () => {
    const { world, id, events } = await outage();
    await remove(world, id);
    await world.sweepFor(122);
    await complete(world, await steps.claimed(world), 'succeeded');
    await world.sweepFor(122);
    await steps.isGone(world, id);
    expect(events().map(shown)).toEqual(MISSED);
  });

  it('is told of all that a deletion ends', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await post(world, github('app'));
    await change(world, id, next);
    await buildStarted(world, first);
    const before = await hears(world, id, 6);
    await world.loseStream();
    await remove(world, id);
    await world.sweepFor(244);
    await steps.isGone(world, id);
    const events = publishedOf(world, id);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
    const late = events.slice(before.length).map(shown);
    expect(late).toEqual(['7 INTERRUPTED', '8 INTERRUPTED']);
  });
});

describe('while nobody can be told', () => {
  const outage = (): Events => ({
    publish: async (events) => ({ events: [...events], reason: 'the bus is out of reach' }),
  });

  const unsent = async ({ deps }: RunningWorld) =>
    (await allItems(deps.table)).filter((item) => item.entity === 'unsent_events');

  it('events are kept with their numbers, and the sweep tells them in order when it can', async () => {
    const world = await aRunningWorld();
    const { publish } = world.deps.events;
    Object.assign(world.deps.events, outage());
    const { id, latest_revision_id: revisionId } = await post(world, github('app'));
    await until(async () => (await unsent(world)).length > 0, { what: 'kept events' });
    await expect(world.sweep()).rejects.toThrow(/1 of 1/);
    await steps.deploy(world, id, revisionId);
    const kept = () => unsent(world);
    await until(async () => (await kept()).flatMap(({ events }) => events).length === LIFE.length, {
      what: 'all events to be kept',
    });
    expect(publishedOf(world, id)).toEqual([]);
    Object.assign(world.deps.events, { publish });
    expect(await world.sweep()).toMatchObject({ left: 0 });
    expect(publishedOf(world, id).map(shown)).toEqual(LIFE);
    expect(await kept()).toEqual([]);
  });
});
