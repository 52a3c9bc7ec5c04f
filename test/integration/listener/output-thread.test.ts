import { describe, expect, it, onTestFinished } from 'vitest';
import type { OutputSource } from '../../../lib/compute/process/output/messages.ts';
import { OutputThread } from '../../../lib/compute/process/output/output-thread.ts';
import type { ShippedLine } from '../../../lib/listener/waiting-lines.ts';
import { childEnvironment } from '../../../lib/processes/environment.ts';
import type { OutputReader } from '../../../lib/processes/output.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { nextTimestamp } from '../../../lib/processes/timestamps.ts';
import { until } from '../../support/until.ts';

const SECRET = 'a-very-secret-value';
/** Crashes at these words. */
const CRASHES = 'crash of the reader';
const crashing = new URL('../../support/programs/crashing-output.ts', import.meta.url);
const stuck = new URL('../../support/programs/stuck-output.ts', import.meta.url);

const sourceOf = (deploymentId: string, secrets = [SECRET]): OutputSource => ({
  deploymentId,
  revisionId: `revision of ${deploymentId}`,
  masking: { secrets, folders: [] },
  format: 'plain',
  ownPaths: [],
});

/** A thread, what it has shipped, and what is said of it. `room`: as of the shipper. */
function world({ main, room = async () => {} }: { main?: URL; room?: () => Promise<void> } = {}) {
  const shipped: (ShippedLine & { deploymentId: string })[] = [];
  const errors: string[] = [];
  const thread = new OutputThread({
    shipper: { push: (deploymentId, _, line) => void shipped.push({ deploymentId, ...line }), room },
    log: { error: (message) => errors.push(message) },
    ...(main !== undefined && { main }),
  });
  onTestFinished(() => thread.close());
  const supervisor = new ProcessSupervisor();
  onTestFinished(() => supervisor.close());
  const run = (source: OutputSource, script: string) => {
    const output = thread.open(source);
    const command = {
      command: process.execPath,
      args: ['-e', script],
      cwd: '/',
      environment: childEnvironment(),
    };
    return { output, group: supervisor.start({ ...command, output }) };
  };
  const messagesOf = (id: string) =>
    shipped.filter(({ deploymentId }) => deploymentId === id).map(({ message }) => message);
  return { thread, shipped, errors, run, messagesOf };
}

describe('the thread that reads the output of agents', () => {
  it('delivers all of it, in order, masked, before the exit of the program is told', async () => {
    const { run, shipped, messagesOf } = world();
    const script = `for (let at = 0; at < 20000; at += 1) console.log(at, '${SECRET}')`;
    const { output, group } = run(sourceOf('one'), script);
    expect((await group.exited).code).toBe(0);
    const before = nextTimestamp();
    expect(output.tail.after('It ended.')).toContain('19999 ***');
    await until(() => messagesOf('one').length === 20_000, { what: 'all lines to come' });
    expect(messagesOf('one')).toEqual(Array.from({ length: 20_000 }, (_, at) => `${at} ***`));
    const stamps = shipped.map(({ timestamp }) => timestamp);
    expect(stamps).toEqual([...new Set(stamps)].toSorted((a, b) => a - b));
    expect(stamps.every((stamp) => stamp < before)).toBe(true);
  });

  it('masks each program with its own secrets', async () => {
    const { run, messagesOf } = world();
    const script = "console.log('one-of-the-values', 'another-value-of-it')";
    const first = run(sourceOf('first', ['one-of-the-values']), script);
    const second = run(sourceOf('second', ['another-value-of-it']), script);
    await Promise.all([first.group.exited, second.group.exited]);
    await until(() => messagesOf('second').length + messagesOf('first').length === 2, { what: 'both lines' });
    expect(messagesOf('first')).toEqual(['*** another-value-of-it']);
    expect(messagesOf('second')).toEqual(['one-of-the-values ***']);
  });

  it('lets a program wait in its write until there is room to read', async () => {
    const supervisor = new ProcessSupervisor();
    onTestFinished(() => supervisor.close());
    const room = Promise.withResolvers<void>();
    let bytesRead = 0;
    const output: OutputReader = {
      write: (_, bytes) => {
        bytesRead += bytes.length;
        return room.promise;
      },
      end: async () => {},
    };
    const size = 8 * 1024 * 1024;
    const script = `process.stdout.write('x'.repeat(${size}))`;
    const command = {
      command: process.execPath,
      args: ['-e', script],
      cwd: '/',
      environment: childEnvironment(),
    };
    const group = supervisor.start({ ...command, output });
    await until(() => bytesRead > 0, { what: 'something to be read' });
    expect([bytesRead < size / 2, group.exit]).toEqual([true, undefined]);
    room.resolve();
    expect((await group.exited).code).toBe(0);
    expect(bytesRead).toBe(size);
  });

  it('keeps what is read while nothing can be shipped, and gives it all at the end', async () => {
    const taken = Promise.withResolvers<void>();
    const { thread, run, messagesOf } = world({ room: () => taken.promise });
    const { group } = run(sourceOf('one'), "for (let at = 0; at < 5000; at += 1) console.log('line ' + at)");
    await group.exited;
    expect(messagesOf('one').length).toBeLessThan(5000);
    await thread.close();
    expect(messagesOf('one')).toEqual(Array.from({ length: 5000 }, (_, at) => `line ${at}`));
    taken.resolve();
  });

  it('tells the end of a program before it has read all of one that prints empty lines', async () => {
    const { thread, messagesOf } = world();
    const [chatty, other] = [thread.open(sourceOf('chatty')), thread.open(sourceOf('other'))];
    let isChattyRead = false;
    void chatty.write('stdout', Buffer.from('\n'.repeat(500_000)));
    void chatty.caughtUp().then(() => {
      isChattyRead = true;
    });
    void other.write('stdout', Buffer.from('its last line\n'));
    await other.end();
    expect([other.tail.after('It ended.').endsWith('its last line'), isChattyRead]).toEqual([true, false]);
    await until(() => messagesOf('other').length === 1, { what: 'its line' });
  });

  it('is ended when it does not end itself, and what it had not read is told', async () => {
    const { thread, messagesOf } = world({ main: stuck });
    const output = thread.open(sourceOf('one'));
    void output.write('stdout', Buffer.from('a line\n'));
    const ended = output.end();
    await thread.close();
    await ended;
    expect(messagesOf('one')).toEqual([
      'The listener has ended before it had read the last 7 bytes of output.',
    ]);
  });

  it('is told of when it crashes, and begins again with the next whole line, masked', async () => {
    const { thread, errors, messagesOf } = world({ main: crashing });
    const output = thread.open(sourceOf('one'));
    const write = (text: string) => void output.write('stdout', Buffer.from(text));
    write('before\n');
    await output.caughtUp();
    write(`${CRASHES} ${SECRET.slice(0, 10)}`);
    await until(() => errors.length > 0, { what: 'the crash' });
    write(`${SECRET.slice(10)} is the end of a torn line\nafter ${SECRET}\n`);
    await output.end();
    await until(() => messagesOf('one').length > 2, { what: 'the line after the crash' });
    const missing = expect.stringMatching(
      /^What reads the output .*\(TypeError\).* 30 bytes had not been read/,
    );
    expect(messagesOf('one')).toEqual(['before', missing, 'after ***']);
    expect(errors).toEqual([
      'What reads the output of agents has ended unexpectedly (TypeError) and is started again.',
    ]);
    expect(output.tail.after('It ended.')).toContain('after ***');
  });

  it('ends for whom it was to tell the end when it crashed', async () => {
    const { thread, messagesOf } = world({ main: crashing });
    const output = thread.open(sourceOf('one'));
    void output.write('stderr', Buffer.from(`${CRASHES}\n`));
    await output.end();
    expect(messagesOf('one')).toHaveLength(1);
  });
});
