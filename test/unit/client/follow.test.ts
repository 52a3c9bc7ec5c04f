import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isEnded } from '../../../lib/client/client.ts';
import { revisionStatuses } from '../../../lib/contract/revision-status.ts';
import { isTerminal } from '../../../lib/domain/transitions.ts';
import { clientOf, json, lost, passing, refusalOf, waited } from '../../support/client/answered.ts';

const LOGS = 'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs';
const ids = { deployment_id: 'one', revision_id: 'two' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('lists', () => {
  it('a list is read page by page, until one is not full', async () => {
    const page = (names: string[], offset: number) =>
      json({ resources: names.map((name) => ({ name })), offset });
    const { client, sent } = clientOf([page(['a', 'b'], 2), page(['c', 'd'], 4), page([], 4)]);
    const names: string[] = [];
    for await (const { name } of client.list('GET /v2/deployments', { query: { limit: 2 } }))
      names.push(name);
    expect(names).toEqual(['a', 'b', 'c', 'd']);
    expect(sent.map(({ address }) => new URL(address).search)).toEqual([
      '?limit=2&offset=0',
      '?limit=2&offset=2',
      '?limit=2&offset=4',
    ]);
  });
});

describe('streams', () => {
  const entry = (id: string) => ({ id, timestamp: 1, level: 'INFO', message: id });
  const event = (id: string) => `id: ${id}\ndata: ${JSON.stringify(entry(id))}\n\n`;
  /** Comes in these pieces, and fails after them where `isBroken`. */
  const stream = (pieces: string[], isBroken = false) =>
    new Response(
      new ReadableStream({
        pull(controller) {
          const piece = pieces.shift();
          if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
          else if (isBroken) controller.error(new TypeError('terminated'));
          else controller.close();
        },
      }),
      { headers: { 'Content-Type': 'text/event-stream' } },
    );
  const read = async (lines: AsyncIterable<{ id: string }>) => {
    const heard: string[] = [];
    for await (const { id } of lines) heard.push(id);
    return heard;
  };

  it('entries come once each, over pieces, ends and breaks, until the service says that it was the last', async () => {
    const whole = event('b');
    const { client, sent } = clientOf([
      stream(['retry: 2000\n\n', event('a'), whole.slice(0, 9), whole.slice(9)]),
      stream([event('c'), event('d').slice(0, 12)], true),
      passing(),
      stream([event('d').replaceAll('\n', '\r\n'), 'event: end\ndata: {}\n\n', event('never')]),
    ]);
    const heard = read(client.follow(LOGS, { params: ids, query: { type: 'build' } }, { after: '0' }));
    await waited(heard);
    expect(await heard).toEqual(['a', 'b', 'c', 'd']);
    expect(sent.map(({ headers }) => headers.get('Last-Event-ID'))).toEqual(['0', 'b', 'c', 'c']);
    expect(sent[0]?.headers.get('Accept')).toBe('text/event-stream');
  });

  it('who hears of problems waits them out, but for those that do not pass', async () => {
    const problems: (number | undefined)[] = [];
    const { client } = clientOf(
      [lost(), json({}, 429), stream([event('a')]), json({ detail: 'gone' }, 404)],
      {
        triesMax: 1,
      },
    );
    const lines = client.follow(
      LOGS,
      { params: ids, query: { type: 'build' } },
      { onProblem: (problem) => problems.push(problem?.status) },
    );
    const heard = read(lines);
    await waited(heard);
    expect((await refusalOf(heard)).status).toBe(404);
    expect(problems).toEqual([0, 429, undefined]);
  });

  it('who stops reading ends the request', async () => {
    const cancelled = vi.fn();
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(event('a'))),
      cancel: cancelled,
    });
    const { client } = clientOf([new Response(body)]);
    for await (const { id } of client.follow(LOGS, { params: ids, query: { type: 'deploy' } })) {
      expect(id).toBe('a');
      break;
    }
    expect(cancelled).toHaveBeenCalledOnce();
  });
});

describe('the end of a revision', () => {
  it('is a status after which there is none', () => {
    for (const status of revisionStatuses)
      expect([status, isEnded({ status })]).toEqual([status, isTerminal(status)]);
  });

  it.each(['DEPLOYED', 'SKIPPED', 'INTERRUPTED', 'BUILD_FAILED'])(
    'is waited for until it is %s',
    async (end) => {
      const revision = (status: string) => json({ id: 'two', status, status_message: null });
      const { client, sent } = clientOf([
        ...['QUEUED', 'BUILDING', 'BUILDING', 'UNKNOWN'].map(revision),
        json({}, 503),
        revision(end),
      ]);
      const changes: string[] = [];
      const ended = client.waitForRevision(ids, { onChange: ({ status }) => changes.push(status) });
      await waited(ended);
      expect(await ended).toMatchObject({ status: end });
      expect(changes).toEqual(['QUEUED', 'BUILDING', 'UNKNOWN', end]);
      expect(sent).toHaveLength(6);
    },
  );
});
