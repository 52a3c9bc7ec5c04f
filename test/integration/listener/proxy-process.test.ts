import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServerTarget } from '../../../lib/compute/process/proxy/messages.ts';
import { ProxyProcess, targetAt } from '../../../lib/compute/process/proxy-process.ts';
import { mergeAll } from '../../../lib/domain/metrics/merge.ts';
import { until } from '../../support/until.ts';

async function startProcess() {
  const said: string[] = [];
  const proxy = new ProxyProcess({
    options: { port: 0, pathPrefix: '/d' },
    marking: {},
    log: { warn: (line) => void said.push(line) },
  });
  onTestFinished(() => proxy.close());
  const port = await proxy.listen();
  const ask = (path: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path, agent: false }, resolve).once('error', reject);
    });
  const textOf = async (path: string): Promise<string> => {
    let text = '';
    for await (const part of await ask(path)) text += part;
    return text;
  };
  return { proxy, port, ask, textOf, said };
}

/** A server behind it, with a revision whose requests it counts. */
async function serve(handler: RequestListener, traffic = 'app/first'): Promise<ServerTarget> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { ...targetAt({ host: '127.0.0.1', port }), traffic };
}

/** Ends the process that serves. It is dead when this returns, and nothing else has happened meanwhile. */
function kill({ pid = 0 }: ProxyProcess): void {
  process.kill(pid, 'SIGKILL');
  const stateOf = () => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
  while (stateOf() !== 'Z');
}

describe('the process of the proxy', () => {
  it('keeps requests waiting until all routes are known', async () => {
    const { proxy, textOf } = await startProcess();
    const early = textOf('/d/app/');
    await proxy.route('app').moveTo(await serve((_, response) => response.end('here')));
    await proxy.open();
    expect(await early).toBe('here');
  });

  it('says that its port is taken', async () => {
    const { port } = await startProcess();
    const second = new ProxyProcess({
      options: { port, pathPrefix: '/d' },
      marking: {},
      log: { warn: () => undefined },
    });
    await expect(second.listen()).rejects.toThrow(/EADDRINUSE.*127\.0\.0\.1/);
    expect(second.pid).toBeUndefined();
  });

  it('loses no request that comes after it was killed under load', async () => {
    const { proxy, textOf, said } = await startProcess();
    await proxy.open();
    const route = proxy.route('app');
    route.setAddress('http://mine.localhost');
    await route.moveTo(await serve((_, response) => response.end('first')));
    await proxy.route('gone').moveTo(await serve((_, response) => response.end('gone')));
    await proxy.remove(proxy.route('gone'));
    const load = { ended: false, served: 0 };
    const clients = Array.from({ length: 10 }, async () => {
      while (!load.ended) {
        // What was under way is cut off.
        const text = await textOf('/d/app/').catch(() => '');
        if (text !== '') load.served += 1;
      }
    });
    onTestFinished(() => {
      load.ended = true;
    });
    for (let times = 1; times <= 3; times += 1) {
      const before = load.served;
      await until(() => load.served > before + 50, { what: 'requests to be served' });
      kill(proxy);
      const later = Array.from({ length: 40 }, () => textOf('/d/app/'));
      // What is said while there is no process counts for the next one.
      const moved = route.moveTo(await serve((_, response) => response.end(`after ${times}`)));
      for (const text of await Promise.all(later)) expect(text).not.toBe('');
      await moved;
      expect(await textOf('/d/app/')).toBe(`after ${times}`);
      expect((await proxy.take()).get('app/first')?.counts.requests?.all).toBeGreaterThan(0);
    }
    load.ended = true;
    await Promise.all(clients);
    expect(await textOf('/d/gone/')).toContain("'gone' is not served here");
    expect(said).toEqual(Array.from({ length: 3 }, () => expect.stringContaining('SIGKILL')));
  });

  it('holds requests over its own end as it does while a server is replaced', async () => {
    const { proxy, textOf } = await startProcess();
    await proxy.open();
    const route = proxy.route('app');
    await route.hold(120_000);
    kill(proxy);
    const held = textOf('/d/app/');
    await until(() => proxy.pid !== undefined, { what: 'it to be started again' });
    await route.moveTo(await serve((_, response) => response.end('here')));
    expect(await held).toBe('here');
  });

  it('tells when no request is under way at a server any more, also if its own end has ended them', async () => {
    const { proxy, ask } = await startProcess();
    await proxy.open();
    const ends: (() => void)[] = [];
    const target = await serve((_, response) => {
      response.flushHeaders();
      ends.push(() => response.end());
    });
    await proxy.route('app').moveTo(target);
    const first = await ask('/d/app/');
    expect(await proxy.drained(target, 0)).toBe(false);
    const drained = proxy.drained(target, 600_000);
    for (const end of ends.splice(0)) end();
    first.resume();
    expect(await drained).toBe(true);
    const second = await ask('/d/app/');
    const cutOff = once(second, 'error');
    second.resume();
    const ended = proxy.drained(target, 600_000);
    kill(proxy);
    expect(await ended).toBe(true);
    await cutOff;
    await proxy.leave(target);
  });

  it('sends nothing to a server once a change is acknowledged', async () => {
    const { proxy, textOf } = await startProcess();
    await proxy.open();
    const route = proxy.route('app');
    for (let times = 0; times < 20; times += 1) {
      const [old, next] = [{ isOver: false }, { isOver: false }];
      const servers = [old, next].map((one) =>
        serve((_, response) => void response.end(one.isOver ? 'late' : 'fine')),
      );
      const [before, after] = await Promise.all(servers);
      if (before === undefined || after === undefined) throw new Error('there are two');
      await route.moveTo(before);
      const asked = Array.from({ length: 5 }, () => textOf('/d/app/'));
      await route.moveTo(after);
      expect(await proxy.drained(before, 600_000)).toBe(true);
      old.isOver = true;
      expect(new Set([...(await Promise.all(asked)), await textOf('/d/app/')])).toEqual(new Set(['fine']));
    }
  });

  it('answers what it is told after its end', async () => {
    const { proxy } = await startProcess();
    const [route, target] = [proxy.route('app'), await serve((_, response) => response.end())];
    await proxy.close();
    await route.moveTo(target);
    await route.hold(600_000);
    await proxy.leave(target);
    await proxy.remove(route);
    expect(await proxy.drained(target, 600_000)).toBe(true);
  });

  it('comes back once there are files for it again', async () => {
    const main = new URL('../../../lib/compute/process/proxy-process.ts', import.meta.url).href;
    // In a program of its own, which has few of them.
    const program = `import { closeSync, openSync } from 'node:fs';
      import { ProxyProcess } from '${main}';
      const said = [];
      const options = { port: 0, pathPrefix: '/d' };
      const proxy = new ProxyProcess({ options, marking: {}, log: { warn: (line) => said.push(line) } });
      await proxy.listen();
      await proxy.open();
      const files = [];
      const fill = () => { try { for (;;) files.push(openSync('/dev/null')); } catch {} };
      fill();
      process.kill(proxy.pid, 'SIGKILL');
      const turn = () => new Promise((resolve) => setTimeout(resolve, 10));
      while (said.length < 3) { await turn(); fill(); }
      for (const file of files) closeSync(file);
      await proxy.open();
      await proxy.close();
      process.stdout.write('closed');`;
    const limited = 'ulimit -n 200; exec "$0" --input-type=module -e "$1"';
    const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, program]);
    expect(stdout).toBe('closed');
  });

  it('loses nothing that it has counted when it is closed, the requests that this ends included', async () => {
    const { proxy, port, textOf, ask } = await startProcess();
    await proxy.open();
    const target = await serve(({ url = '' }, response) => {
      if (url === '/never') response.flushHeaders();
      else if (url !== '/silent') response.end('four');
    });
    await proxy.route('app').moveTo(target);
    const taken = [];
    for (let asked = 0; asked < 300; asked += 1) {
      await textOf('/d/app/');
      if (asked % 50 === 0) taken.push((await proxy.take()).get('app/first')?.counts ?? {});
    }
    const never = await ask('/d/app/never');
    const cutOff = once(never, 'error');
    never.resume();
    const silent = connect(port, '127.0.0.1');
    silent.write('GET /d/app/silent HTTP/1.1\r\nHost: localhost\r\n\r\n');
    silent.resume();
    await until(
      async () => {
        const counts = (await proxy.take()).get('app/first')?.counts ?? {};
        taken.push(counts);
        return counts.in_flight === 2;
      },
      { what: 'both requests to be under way' },
    );
    const closed = proxy.close();
    taken.push((await proxy.take()).get('app/first')?.counts ?? {});
    await Promise.all([closed, cutOff]);
    expect(mergeAll(taken, 'times')).toMatchObject({
      requests: { all: 302, '2xx': 301, '4xx': 1 },
      bytes_out: 1200,
    });
    const again = connect(port, '127.0.0.1');
    await expect(once(again, 'connect')).rejects.toThrow(/ECONNREFUSED/);
  });
});
