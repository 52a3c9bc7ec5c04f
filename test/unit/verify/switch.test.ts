import { createServer, type RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { onLoopback } from '../../support/http/loopback-server.ts';
import { until } from '../../support/until.ts';
import { streamAcrossSwitch } from '../../verify/switch.ts';

/** What a stream says; before its last line it waits so long, or for what `after` is. */
type Said = { lines: string[]; pauseMs?: number; after?: Promise<void>; isCut?: boolean };

/** A server with such a stream; other requests are answered by `page`. */
async function serve(
  { lines, pauseMs = 0, after, isCut = false }: Said,
  page: RequestListener,
): Promise<string> {
  const { url, close } = await onLoopback(
    createServer((request, response) => {
      if (request.url?.startsWith('/stream') !== true) return page(request, response);
      response.write(lines.slice(0, -1).join(''));
      void (after ?? delay(pauseMs)).then(() => (isCut ? response.destroy() : response.end(lines.at(-1))));
    }),
  );
  onTestFinished(close);
  return url;
}

const fine: RequestListener = (_, response) => void response.end('{}');
const WHOLE = ['tick 1 v1\n', 'tick 2 v1\n', 'end\n'];
const wish = { seconds: 3, silentSeconds: 0 };
const atOnce = async () => undefined;

describe('a stream that stays open while a revision replaces another', () => {
  it('counts the requests that were answered meanwhile', async () => {
    let asked = 0;
    const changed = Promise.withResolvers<void>();
    const url = await serve({ lines: WHOLE, after: changed.promise }, (request, response) => {
      asked += 1;
      fine(request, response);
    });
    const change = async () => {
      await until(() => asked > 1, { what: 'a second request' });
      changed.resolve();
    };
    const { requests, failures } = await streamAcrossSwitch(fetch, url, wish, change);
    expect({ requests, failures }).toEqual({ requests: asked, failures: [] });
  });

  it('fails with the requests that were not answered with 200', async () => {
    const url = await serve({ lines: WHOLE, pauseMs: 300 }, (_, response) => {
      response.writeHead(502).end('no target');
    });
    await expect(streamAcrossSwitch(fetch, url, wish, atOnce)).rejects.toThrow(
      /\d+ of \d+ requests failed: 502 no target/,
    );
  });

  it.each<[string, Said, RegExp]>([
    ['is cut', { lines: WHOLE, isCut: true, pauseMs: 50 }, /terminated|cut/],
    ['ends early', { lines: WHOLE.slice(0, 2), pauseMs: 50 }, /was cut.*last line is 'tick 2 v1'/],
    ['loses a line', { lines: ['tick 1 v1\n', 'tick 3 v1\n', 'end\n'], pauseMs: 50 }, /was cut/],
    [
      'goes on at another server',
      { lines: ['tick 1 v1\n', 'tick 2 v2\n', 'end\n'], pauseMs: 50 },
      /not of one server/,
    ],
  ])('fails when it %s', async (_, said, reason) => {
    const url = await serve(said, fine);
    await expect(streamAcrossSwitch(fetch, url, wish, atOnce)).rejects.toThrow(reason);
  });

  it('fails when it was over before, or was never silent', async () => {
    let isOver = false;
    const url = await serve({ lines: WHOLE }, fine);
    const reach: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      if (!String(input).includes('/stream')) return answer;
      const text = await answer.text();
      isOver = true;
      return new Response(text);
    };
    const change = async () => {
      await until(() => isOver, { what: 'the stream to be over' });
      await fetch(url).then((answer) => answer.text());
    };
    await expect(streamAcrossSwitch(reach, url, wish, change)).rejects.toThrow(/over before/);
    const quick = await serve({ lines: WHOLE, pauseMs: 50 }, fine);
    const silent = { seconds: 30, silentSeconds: 10 };
    await expect(streamAcrossSwitch(fetch, quick, silent, atOnce)).rejects.toThrow(
      /silent for 10 s, and was for 0\.\d s/,
    );
  });
});
