import {
  EventBridgeClient,
  EventBridgeServiceException,
  PutEventsCommand,
  type PutEventsRequestEntry,
} from '@aws-sdk/client-eventbridge';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEventBus } from '../../../lib/adapters/aws/events.ts';
import type { DeploymentEvent } from '../../../lib/contract/events.ts';

const event = (sequence: number): DeploymentEvent => ({
  id: `e${sequence}`,
  type: 'revision.status_changed',
  sequence,
  at: '2026-11-21T10:00:00.500Z',
  tenant_id: 't',
  deployment_id: 'd',
  revision_id: 'r',
  status: 'DEPLOYED',
});
const events = (count: number): DeploymentEvent[] => Array.from({ length: count }, (_, n) => event(n + 1));

const client = mockClient(EventBridgeClient);

/** Answers PutEvents in the place of the service: `refuse` names the code of an entry that is not taken. */
function aBus(refuse: (entry: PutEventsRequestEntry, call: number) => string | undefined = () => undefined) {
  const calls: PutEventsRequestEntry[][] = [];
  client.on(PutEventsCommand).callsFake(({ Entries: entries }: { Entries: PutEventsRequestEntry[] }) => {
    calls.push(entries);
    const answers = entries.map((entry) => {
      const code = refuse(entry, calls.length);
      return code === undefined ? { EventId: 'x' } : { ErrorCode: code, ErrorMessage: 'no' };
    });
    return { Entries: answers, FailedEntryCount: 0 };
  });
  return calls;
}

const sequences = (entries: PutEventsRequestEntry[] = []): number[] =>
  entries.map(({ Detail = '' }) => (JSON.parse(Detail) as DeploymentEvent).sequence);

beforeEach(() => {
  client.reset();
  vi.useFakeTimers({ toFake: ['setTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Whatever pauses lie between the tries. */
async function publish(given: DeploymentEvent[]) {
  const running = createEventBus('bus').publish(given);
  await vi.runAllTimersAsync();
  return running;
}

describe('the bus', () => {
  it('is told each event as rules match it', async () => {
    const calls = aBus();
    expect(await publish([event(7)])).toBeUndefined();
    expect(calls).toEqual([
      [
        {
          EventBusName: 'bus',
          Source: 'slipway',
          DetailType: 'revision.status_changed',
          Time: new Date(event(7).at),
          Detail: JSON.stringify(event(7)),
        },
      ],
    ]);
  });

  it('takes ten at once, in order', async () => {
    const calls = aBus();
    expect(await publish(events(23))).toBeUndefined();
    expect(calls.map((entries) => entries.length)).toEqual([10, 10, 3]);
    expect(calls.flatMap((entries) => sequences(entries))).toEqual(
      events(23).map(({ sequence }) => sequence),
    );
  });

  it('is told again what it did not take, and that alone', async () => {
    const calls = aBus(({ Detail }, call) =>
      call === 1 && Detail?.includes('"sequence":2') ? 'ThrottlingException' : undefined,
    );
    expect(await publish(events(3))).toBeUndefined();
    expect(calls.map((entries) => sequences(entries))).toEqual([[1, 2, 3], [2]]);
  });

  it('is given up after some tries: what was not told is said, with the reason', async () => {
    const calls = aBus(({ Detail }) => (Detail?.includes('"sequence":2') ? 'InternalException' : undefined));
    expect(await publish(events(12))).toEqual({ events: [event(2)], reason: 'InternalException' });
    expect(calls.length).toBe(7);
  });

  it('that refuses, or does not answer, is told nothing', async () => {
    const refusal = {
      name: 'AccessDeniedException',
      message: 'not you',
      $fault: 'client',
      $metadata: {},
    } as const;
    client.on(PutEventsCommand).rejects(new EventBridgeServiceException(refusal));
    expect(await publish(events(2))).toEqual({
      events: events(2),
      reason: 'AccessDeniedException: not you',
    });
    client.on(PutEventsCommand).rejects(new Error('socket hang up'));
    expect(await publish(events(1))).toEqual({ events: events(1), reason: 'socket hang up' });
  });
});
