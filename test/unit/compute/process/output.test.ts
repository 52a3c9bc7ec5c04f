import { describe, expect, it } from 'vitest';
import type { FromReader, OutputSource, ToReader } from '../../../../lib/compute/process/output/messages.ts';
import { OutputReading } from '../../../../lib/compute/process/output/reading.ts';
import { WAITING_CHARACTERS_MAX } from '../../../../lib/listener/waiting-lines.ts';

const source: OutputSource = {
  deploymentId: 'deployment',
  revisionId: 'revision',
  masking: { secrets: ['a-very-secret-value'], folders: [] },
  format: 'plain',
  ownPaths: ['/ok'],
  fatalLevel: 'ERROR',
};
const bytes = (text: string, id = 1): ToReader => ({
  kind: 'bytes',
  id,
  stream: 'stdout',
  bytes: Buffer.from(text),
});

/** What is told when this is heard. */
function toldOf(...heard: ToReader[]): FromReader[] {
  const told: FromReader[] = [];
  const reading = new OutputReading((message) => told.push(message));
  for (const message of heard) reading.hear(message);
  return told;
}
const open: ToReader = { kind: 'open', id: 1, source, torn: [] };
const linesOf = (told: FromReader[]) =>
  told.flatMap((one) => (one.kind === 'lines' ? one.lines.map(({ line }) => line.message) : []));

describe('reading output', () => {
  it('masks what is cut anywhere between two reads', () => {
    const text = 'token a-very-secret-value!\n';
    for (let at = 1; at < text.length; at += 1)
      expect(linesOf(toldOf(open, bytes(text.slice(0, at)), bytes(text.slice(at))))).toEqual(['token ***!']);
  });

  it.each(['plain', 'agent'] as const)('leaves no beginning of a secret where a %s line is cut', (format) => {
    const secret = `-----BEGIN KEY-----${'0123456789abcdef'.repeat(100)}`;
    const opened: ToReader = {
      ...open,
      source: { ...source, format, masking: { secrets: [secret], folders: [] } },
    };
    // Masked, all that is kept of it is short.
    const told = toldOf(opened, bytes(`{"event":"${Array(70).fill(secret).join(' ')}","level":"info"}\n`));
    expect(linesOf(told)).toEqual([expect.stringMatching(/^\{"event":"(?:\*\*\* )+\*\*\*$/)]);
  });

  it('gives lines their level and stamps that grow, and all of it masked', () => {
    const told = toldOf(open, bytes('WARN one\nERROR a-very-secret-value\n'));
    const [lines] = told.flatMap((one) => (one.kind === 'lines' ? [one.lines] : []));
    expect(lines?.map(({ line }) => [line.level, line.message])).toEqual([
      ['WARNING', 'WARN one'],
      ['ERROR', 'ERROR ***'],
    ]);
    const [first = 0, second = 0] = lines?.map(({ line }) => line.timestamp) ?? [];
    expect(second).toBeGreaterThan(first);
    expect(told).toContainEqual({ kind: 'failed', id: 1, message: 'ERROR ***' });
  });

  it('keeps the end of it, without requests of ours, for when there is no more', () => {
    const told = toldOf(open, bytes('one\n"GET /ok HTTP/1.1" 200\na-very-secret-value'), {
      kind: 'end',
      id: 1,
    });
    const tail = { lines: ['one', '***'], cause: undefined };
    expect(told.at(-1)).toEqual({ kind: 'ended', id: 1, tail });
  });

  it('passes nothing of what it does not know the secrets of', () => {
    const late = toldOf(bytes('a-very-secret-value\n'), open, { kind: 'end', id: 1 }, bytes('more\n'));
    expect(linesOf(late)).toEqual([]);
  });

  it('passes over the rest of a line whose beginning is lost', () => {
    const torn: ToReader = { ...open, torn: ['stdout'] };
    const told = toldOf(torn, bytes('ret-va'), bytes('lue\nwhole\n'), {
      ...bytes('other\n'),
      stream: 'stderr',
    } as ToReader);
    expect(linesOf([...told, ...toldOf()])).toEqual(['whole']);
  });

  it('hands over no more until that is taken, and drops the oldest beyond a limit', () => {
    const told: FromReader[] = [];
    const reading = new OutputReading((message) => told.push(message));
    reading.hear(open);
    const line = `${'x'.repeat(10_000)}\n`;
    const count = Math.ceil(WAITING_CHARACTERS_MAX / line.length) * 2;
    for (let n = 0; n < count; n += 1) reading.hear(bytes(`${n} ${line}`));
    expect(linesOf(told)).toHaveLength(1);
    while (told.at(-1)?.kind !== 'read') reading.hear({ kind: 'taken' });
    for (let before = -1; before !== told.length; ) {
      before = told.length;
      reading.hear({ kind: 'taken' });
    }
    const messages = linesOf(told);
    const note = messages.find((message) => message.includes('older log lines were dropped'));
    expect(messages.length - 1 + Number.parseInt(note ?? '0', 10)).toBe(count);
    expect(messages.at(-1)?.startsWith(`${count - 1} `)).toBe(true);
  });
});
