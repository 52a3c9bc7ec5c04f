import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type ShipLogsRequest, shipLogsRequest } from '../../../lib/features/listener-protocol/shape.ts';
import { createLog } from '../../../lib/listener/log.ts';
import { LogShipper } from '../../../lib/listener/log-shipper.ts';
import { nextTimestamp } from '../../../lib/processes/timestamps.ts';

const log = createLog('error', () => undefined);
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const line = (message: string) => ({ timestamp: nextTimestamp(), level: 'INFO' as const, message });

describe('shipping logs', () => {
  it('sends everything, in order, within the limits of the protocol', async () => {
    const sent: ShipLogsRequest[] = [];
    const shipper = new LogShipper(async (body) => void sent.push(shipLogsRequest.parse(body)), log);
    for (let n = 0; n < 3000; n += 1) shipper.push(id(n % 3), id(9), line(`line ${n}`));
    await shipper.close(1000);
    const lines = sent.flatMap((body) => body.batches).filter((batch) => batch.deployment_id === id(0));
    const expected = Array.from({ length: 1000 }, (_, n) => `line ${n * 3}`);
    expect(lines.flatMap((batch) => batch.lines.map((one) => one.message))).toEqual(expected);
  });

  it('drops the oldest when nothing can be sent, and says how many', async () => {
    const sent: ShipLogsRequest[] = [];
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const shipper = new LogShipper(async (body) => {
      await opened;
      sent.push(body);
    }, log);
    const count = 2000;
    for (let n = 0; n < count; n += 1) shipper.push(id(1), id(2), line(`${n} ${'x'.repeat(10_000)}`));
    open();
    await shipper.close(5000);
    const messages = sent
      .flatMap((body) => body.batches)
      .flatMap((batch) => batch.lines.map((one) => one.message));
    const notes = messages.filter((message) => message.includes('older log lines were dropped'));
    const dropped = notes.reduce((sum, note) => sum + Number.parseInt(note, 10), 0);
    expect(dropped).toBeGreaterThan(0);
    expect(messages.length - notes.length + dropped).toBe(count);
    expect(messages.at(-1)?.startsWith(`${count - 1} `)).toBe(true);
  });

  it('drops nothing of who waits for room', async () => {
    const sent: ShipLogsRequest[] = [];
    const shipper = new LogShipper(async (body) => void sent.push(body), log);
    const count = 2000;
    for (let n = 0; n < count; n += 1) {
      await shipper.room();
      shipper.push(id(1), id(2), line(`${n} ${'x'.repeat(10_000)}`));
    }
    await shipper.close(5000);
    expect(sent.flatMap((body) => body.batches).flatMap((batch) => batch.lines)).toHaveLength(count);
    expect(shipper.isDone()).toBe(true);
  });

  it('closes when what is on its way has arrived, and says whether everything has', async () => {
    const arrive = Promise.withResolvers<void>();
    const late = new LogShipper(() => arrive.promise, log);
    late.push(id(1), id(2), line('on its way'));
    void late.flush();
    const closed = late.close(5000);
    expect(late.isDone()).toBe(false);
    arrive.resolve();
    await closed;
    expect(late.isDone()).toBe(true);

    const never = new LogShipper(
      (_, signal) => once(signal, 'abort').then(() => signal.throwIfAborted()),
      log,
    );
    never.push(id(1), id(2), line('lost'));
    await never.close(1);
    expect(never.isDone()).toBe(false);
  });
});
