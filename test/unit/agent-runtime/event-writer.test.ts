import { expect, test } from 'vitest';
import { EventLog } from '../../../lib/agent-runtime/queue/event-log.ts';
import { EventWriter } from '../../../lib/agent-runtime/queue/event-writer.ts';

/** A writer whose time for a batch is over when it is said so. */
function newWriter() {
  const log = new EventLog(1, () => undefined);
  const stored: string[][] = [];
  const waits: (() => void)[] = [];
  const writer = new EventWriter(
    log,
    async (events) => void stored.push(events.map(({ data }) => data)),
    () => new Promise((resolve) => waits.push(resolve)),
  );
  const add = (data: string): void => {
    log.add('custom', data);
    writer.soon();
  };
  return { writer, add, stored, waits };
}

test('events that come within a batch are stored together', async () => {
  const { writer, add, stored, waits } = newWriter();
  add('one');
  add('two');
  expect(waits).toHaveLength(1);
  waits[0]?.();
  await expect.poll(() => stored).toEqual([['one', 'two']]);
  await writer.close();
});

test('the end of a run does not wait for more of its events', async () => {
  const { writer, add, stored } = newWriter();
  add('last');
  await writer.close();
  expect(stored).toEqual([['last']]);
});
