import { expect, it } from 'vitest';
import * as z from 'zod';
import { type RouteRow, route } from '../../../lib/contract/routes/route.ts';
import { successAnswer } from '../../../lib/http/respond.ts';
import { apiEvent } from '../../support/http/event.ts';

const getThing = route({
  area: 'core',
  permission: 'deployments:read',
  success: 200,
  summary: 'Test',
  access: ['table:get'],
  operation: 'getThing',
  method: 'GET',
  path: '/things/{thing_id}',
  handler: 'functions/api/things/get.ts',
  response: z.object({ logs: z.array(z.object({ id: z.string() })) }),
  eventStream: { list: 'logs', id: 'id' },
});

const streamed = (row: RouteRow, output: object) =>
  successAnswer(row, apiEvent({ headers: { accept: 'text/event-stream' } }), output);

it('sends log entries as events when asked to', () => {
  const answer = streamed(getThing, { logs: [{ id: 'a' }, { id: 'b' }] });
  expect(answer.headers).toMatchObject({ 'content-type': 'text/event-stream' });
  expect(answer.body).toBe('retry: 500\n\nid: a\ndata: {"id":"a"}\n\nid: b\ndata: {"id":"b"}\n\n');
});

it('sends that nothing follows as the last event, and how far it has looked as an id alone', () => {
  const row = route({
    ...getThing,
    response: z.object({ logs: z.array(z.object({ id: z.int() })), at: z.int() }),
    eventStream: { list: 'logs', id: 'id', end: 'ended', place: 'at' },
  });
  const send = (output: object) => streamed(row, output).body;
  expect(send({ logs: [{ id: 1 }], at: 1 })).toBe('retry: 500\n\nid: 1\ndata: {"id":1}\n\n');
  expect(send({ logs: [], at: 2 })).toBe('retry: 500\n\nid: 2\n\n');
  expect(send({ logs: [], at: 2, ended: { status: 'SKIPPED' } })).toBe(
    'retry: 500\n\nid: 2\n\nevent: end\nretry: 30000\ndata: {"status":"SKIPPED"}\n\n',
  );
});
