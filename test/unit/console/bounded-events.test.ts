import { expect, it } from 'vitest';
import { boundedEvents } from '../../../console/data/bounded-events.ts';

const KIBIBYTE = 1024;

async function dataOf(parts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const body = new Blob([...parts]).stream();
  for await (const { data } of boundedEvents(body)) found.push(data);
  return found;
}

it('gives any number of events, and refuses one without an end', async () => {
  const event = `data: ${'x'.repeat(KIBIBYTE)}\n\n`;
  expect(await dataOf(Array.from({ length: 3 * KIBIBYTE }, () => event))).toHaveLength(3 * KIBIBYTE);
  await expect(dataOf([event, 'data: '.padEnd(4_000_000, 'x')])).rejects.toThrow('longer than a megabyte');
});

it.each(['\n', '\r\n'])(
  'knows the end of an event by empty lines, with line breaks %j',
  async (lineBreak) => {
    const lines = Array.from({ length: 2_000 }, (_, at) => `data: ${at}${'y'.repeat(KIBIBYTE)}`);
    expect(await dataOf(lines.map((line) => `${line}${lineBreak}${lineBreak}`))).toHaveLength(2_000);
    await expect(dataOf(lines.map((line) => `${line}${lineBreak}`))).rejects.toThrow(
      'longer than a megabyte',
    );
  },
);
