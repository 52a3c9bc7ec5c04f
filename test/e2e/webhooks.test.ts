import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EventListView } from '../../lib/features/events/shape.ts';
import { endProgram, expectApi, type Program, startProgram } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { aReceiver, dataOf, expectInOrder, type Received, verify } from '../support/world/webhook-world.ts';

let program: Program;

beforeAll(async () => {
  program = await startProgram({ environment: {} });
});
afterAll(async () => {
  expect(await endProgram(program)).toEqual([]);
});

/** A deployment with nothing to build: its first revision ends at once, as SKIPPED. */
const make = (name: string) => {
  const body = { name, source: 'internal_source', source_config: {}, source_revision_config: {} };
  return expectApi<{ id: string }>(program, 'POST', '/v2/deployments', body, 201);
};

const feed = () => expectApi<EventListView>(program, 'GET', '/v2/events', undefined, 200);

it('events reach a webhook in order, though the program is killed while it sends one', async () => {
  const receiver = await aReceiver(Date.now);
  receiver.answer = () => undefined;
  const body = { url: receiver.url };
  type Made = { id: string; secret: string };
  const { id, secret } = await expectApi<Made>(program, 'POST', '/v2/webhooks', body, 201);
  const { id: deploymentId } = await make('killed');
  // Of a listener there is news too, which is sent beside it.
  const ofKilled = (messages: readonly Received[]) =>
    messages.filter((message) => dataOf(message).deployment_id === deploymentId);
  await until(() => ofKilled(receiver.received).length > 0, { what: 'a message' });
  await program.killGroup();
  receiver.answer = 204;
  program = await startProgram({ environment: {}, dataFolder: program.dataFolder });
  await make('afterwards');
  const all = await until(
    async () => {
      const { resources } = await feed();
      const taken = new Set(receiver.taken.map((message) => message.id));
      return resources.length >= 6 && resources.every((event) => taken.has(event.id)) && resources;
    },
    { what: 'every event at the receiver' },
  );
  expect(all.map(({ number }) => number)).toEqual(all.map((_, at) => at + 1));
  expectInOrder(receiver.taken);
  for (const message of receiver.received)
    expect(verify(message, secret)).toMatchObject({ data: dataOf(message) });
  // What was being sent when it was killed came again, under its id.
  const [first] = ofKilled(receiver.received);
  const [again] = ofKilled(receiver.taken);
  expect(first).toBeDefined();
  expect(again?.id).toBe(first?.id);
  type Deliveries = { resources: { result: string }[] };
  const path = `/v2/webhooks/${id}/deliveries?limit=100`;
  // Each is noted when its answer has come, which is after the receiver has taken it.
  const deliveredTimes = async () => {
    const { resources } = await expectApi<Deliveries>(program, 'GET', path, undefined, 200);
    return resources.filter(({ result }) => result === 'DELIVERED').length;
  };
  await until(async () => (await deliveredTimes()) >= all.length, {
    what: 'every event to be noted as delivered',
  });
});

it('the feed is followed as an event stream, and resumed after the last event that was seen', async () => {
  const { after } = await feed();
  const leaving = new AbortController();
  const follow = (lastEventId: number) =>
    fetch(`${program.baseUrl}/v2/events`, {
      headers: {
        'x-api-key': program.apiKey,
        accept: 'text/event-stream',
        'last-event-id': String(lastEventId),
      },
      signal: leaving.signal,
    });
  const [response] = await Promise.all([follow(after), make('followed')]);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  let text = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  while (!text.includes(`id: ${after + 2}\n`)) {
    const { value, done } = (await reader?.read()) ?? { value: '', done: true };
    if (done) break;
    text += value;
  }
  expect(text).toContain(`id: ${after + 1}\ndata: {`);
  const again = await follow(after + 1);
  const part = await again.body?.pipeThrough(new TextDecoderStream()).getReader().read();
  expect(part?.value).toContain(`id: ${after + 2}\n`);
  expect(part?.value).not.toContain(`id: ${after + 1}\n`);
  leaving.abort();
});
