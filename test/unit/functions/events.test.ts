import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as onSchedule } from '../../../functions/schedules/sweep.ts';
import { create as createEvents, handler as onChanges } from '../../../functions/streams/events.ts';
import { clock, events, settings, table as tableOfFunction } from '../../../lib/container.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import { eventCountKey, revisionKey, unsentEventsKey } from '../../../lib/store/keys/index.ts';
import { mockTable } from '../../support/table/mocked-table.ts';
import { ids } from '../../support/table/stored-items.ts';
import { functionEnvironment } from './environment.ts';

const table = mockTable();

beforeAll(() => {
  for (const [name, value] of Object.entries(functionEnvironment)) vi.stubEnv(name, value);
});
beforeEach(() => {
  table.reset();
  bus.reset();
});
/** What each function did to the table in all of its tests. */
const done = new Map<string, Set<string>>();
afterEach(({ task }) => {
  const name = task.suite?.name ?? '';
  done.set(name, (done.get(name) ?? new Set()).union(table.used()));
  vi.useRealTimers();
});
afterAll(() => vi.unstubAllEnvs());

const bus = mockClient(EventBridgeClient);

/** What the bus is told. */
function aBus(): unknown[] {
  const told: unknown[] = [];
  bus.on(PutEventsCommand).callsFake(({ Entries: entries }: { Entries: { Detail: string }[] }) => {
    told.push(...entries.map(({ Detail }) => JSON.parse(Detail)));
    return { Entries: entries.map(() => ({})) };
  });
  return told;
}

describe('events', () => {
  const key = revisionKey(ids.tenant, ids.deployment, 1);
  const history = (...statuses: string[]) => ({
    L: statuses.map((status) => ({ M: { status: { S: status }, at: { S: '2026-01-01T00:00:00.000Z' } } })),
  });
  const image = (...statuses: string[]) => ({
    entity: { S: 'revision' },
    tenant_id: { S: ids.tenant },
    deployment_id: { S: ids.deployment },
    id: { S: ids.revision },
    number: { N: '1' },
    history: history(...statuses),
  });
  const changed = {
    eventName: 'MODIFY' as const,
    dynamodb: {
      SequenceNumber: '1',
      Keys: { pk: { S: key.pk }, sk: { S: key.sk } },
      OldImage: image('CREATING', 'QUEUED'),
      NewImage: {
        ...image('CREATING', 'QUEUED', 'INTERRUPTED'),
        audit: {
          M: {
            id: { S: ids.task },
            action: { S: 'revision.interrupt' },
            tenant_id: { S: ids.tenant },
            user_id: { S: ids.user },
            key_id: { S: ids.user },
          },
        },
      },
    },
  };
  /** Another instance of the function, which remembers nothing. */
  const anInstance = () =>
    createEvents(() => ({ table: tableOfFunction(), clock, events: events(), settings: settings() }));
  const stored = () => table.written().map((write) => write.Put?.Item?.entity);

  it('tells of what changed, and keeps who asked for it', async () => {
    const told = aBus();
    table.seed(eventCountKey(ids.tenant, ids.deployment), {
      v: 1,
      entity: 'event_count',
      tenant_id: ids.tenant,
      sequence: 3,
      recent: ['created', '1.0', '1.1'],
      settled: 0,
      published: { 1: 2 },
      ended: [],
    });
    expect(await onChanges({ Records: [changed] })).toEqual({ batchItemFailures: [] });
    expect(told).toEqual([expect.objectContaining({ sequence: 4, status: 'INTERRUPTED' })]);
    expect(stored()).toEqual(['audit_event', 'event_count']);
  });

  it('tells again under its number what is delivered again, and counts nothing', async () => {
    const told = aBus();
    const instance = anInstance();
    await instance({ Records: [changed] });
    await instance({ Records: [changed] });
    // Nobody had been told of its first two statuses.
    const first = ['CREATING', 'QUEUED'].map((status, index) => ({ sequence: index + 1, status }));
    const last = { sequence: 3, status: 'INTERRUPTED' };
    expect(told).toEqual([...first, last, last].map((event) => expect.objectContaining(event) as unknown));
    expect(stored()).toEqual(['audit_event', 'event_count', 'audit_event']);
  });

  it('keeps for the sweep what it cannot tell', async () => {
    bus.on(PutEventsCommand).rejects(new Error('socket hang up'));
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const running = anInstance()({ Records: [changed] });
    await vi.runAllTimersAsync();
    expect(await running).toEqual({ batchItemFailures: [] });
    vi.useRealTimers();
    expect(stored()).toEqual(['audit_event', 'event_count', 'unsent_events']);
  });

  it('reports records when the table does not take what they tell of', async () => {
    aBus();
    table.breakWith(new Error('down'));
    expect(await onChanges({ Records: [changed] })).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
  });
});

describe('sweep', () => {
  it('tells events that nobody could be told', async () => {
    const told = aBus();
    const event = {
      id: 'e',
      type: 'deployment.created',
      sequence: 1,
      at: '2026-01-01T00:00:00.000Z',
      tenant_id: ids.tenant,
      deployment_id: ids.deployment,
    };
    table.seed(unsentEventsKey(ids.tenant, ids.deployment, 1), {
      v: 1,
      entity: 'unsent_events',
      tenant_id: ids.tenant,
      events: [event],
      due_pk: 'due#0',
      due_at: 1,
    });
    expect(await onSchedule({})).toEqual({ looked: 1, left: 0 });
    expect(told).toEqual([event]);
    expect(table.written().map((write) => write.Delete?.Key)).toContainEqual(
      unsentEventsKey(ids.tenant, ids.deployment, 1),
    );
  });
});

it.each([
  ['events', functionRows.events],
  ['sweep', functionRows.sweep],
])('%s has the access to the table that it uses', (name, { access }) => {
  const used = [...(done.get(name) ?? [])];
  expect(used.length).toBeGreaterThan(0);
  expect(access).toEqual(expect.arrayContaining(used));
});
