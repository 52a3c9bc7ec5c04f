import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { childEnvironment } from '../../../lib/processes/environment.ts';
import type { GroupCommand } from '../../../lib/processes/group.ts';
import type { OutputLine } from '../../../lib/processes/output.ts';
import { killCarriers, ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { listenersOf, onPort, pidsOnPort } from '../../../lib/processes/table/listening.ts';
import { carriersOf, processesOf, readProcesses, startTimeOf } from '../../../lib/processes/table/read.ts';
import { SOURCE_VARIABLE } from '../../../lib/processes/table/source.ts';
import { usagesOf } from '../../../lib/processes/table/usage.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { until } from '../../support/until.ts';

function newSupervisor(): ProcessSupervisor {
  const supervisor = new ProcessSupervisor();
  onTestFinished(() => supervisor.close());
  return supervisor;
}

function shell(line: string, lines: OutputLine[] = [], rest: Partial<GroupCommand> = {}): GroupCommand {
  const environment = childEnvironment();
  return {
    command: '/bin/sh',
    args: ['-c', line],
    cwd: '/',
    environment,
    onLine: (one) => lines.push(one),
    ...rest,
  };
}

/** How processes and ports are looked at: as here, and as on platforms without /proc, which is forced. */
const SOURCES = [
  { source: '/proc', forced: '', startTime: /^[0-9a-f]{8}:\d+$/ },
  { source: 'ps and lsof', forced: 'ps', startTime: /^\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}$/ },
];

describe.each(SOURCES)('by $source', ({ forced, startTime }) => {
  beforeAll(() => {
    vi.stubEnv(SOURCE_VARIABLE, forced);
  });
  afterAll(() => {
    vi.unstubAllEnvs();
  });

  it('what a group uses is told while it lives; of one that cannot be seen nothing is', async () => {
    const group = newSupervisor().start(shell('sleep 60'));
    const unseen = { pid: group.pid, startTime: 'another', marker: 'none-such' };
    const [used, nothing] = usagesOf([group, unseen]);
    expect(used?.memoryBytes).toBeGreaterThan(10_000);
    expect(nothing).toBeUndefined();
  });

  it('a process is known by its start', () => {
    expect(startTimeOf(process.pid)).toMatch(startTime);
    expect(readProcesses().find(({ pid }) => pid === process.pid)?.startTime).toBe(startTimeOf(process.pid));
    expect(startTimeOf(2 ** 22 + 1)).toBeUndefined();
  });

  describe('a process group', () => {
    it('delivers its output line by line, in order, the last partial line and invalid bytes too', async () => {
      const lines: OutputLine[] = [];
      const group = newSupervisor().start(
        shell("printf 'one\\r\\ntwo\\n\\377bad\\nlast'; printf 'err\\n' >&2; exit 4", lines),
      );
      expect(await group.exited).toEqual({ code: 4, signal: null });
      const out = lines.filter((one) => one.stream === 'stdout').map((one) => one.line);
      expect(out).toEqual(['one', 'two', '\uFFFDbad', 'last']);
      expect(lines.filter((one) => one.stream === 'stderr').map((one) => one.line)).toEqual(['err']);
      const stamps = lines.map((one) => one.timestamp);
      expect(stamps).toEqual([...new Set(stamps)].sort((a, b) => a - b));
    });

    it('says what went wrong when the command cannot be started', async () => {
      const group = newSupervisor().start(shell('', [], { command: '/nowhere/at/all' }));
      expect((await group.exited).error).toMatch(/ENOENT/);
    });

    it('loses no output of a command that ended while this process had no time to read it', async () => {
      const lines: OutputLine[] = [];
      const printed = join(await temporaryFolder(), 'printed');
      const line = `(sleep 0.1; echo late; echo > '${printed}') & exit 0`;
      const group = newSupervisor().start(shell(line, lines));
      await until(() => group.exit !== undefined, { what: 'the command to end' });
      // Timers come right after immediates: what falls due in the busy time is called before the pipes are
      // looked at again.
      await nextImmediate();
      const busyUntil = performance.now() + 600;
      while (performance.now() < busyUntil || !existsSync(printed)) Math.sqrt(busyUntil);
      await group.exited;
      expect(lines.map((one) => one.line)).toEqual(['late']);
    });

    it('ends though an orphan holds its output open, and stopping it ends the orphan', async () => {
      const supervisor = newSupervisor();
      const group = supervisor.start(shell('sleep 600 & echo started'));
      expect(await group.exited).toMatchObject({ code: 0 });
      expect(processesOf(group)).toHaveLength(1);
      await supervisor.stop(group, 2000);
      expect(processesOf(group)).toEqual([]);
      expect(supervisor.groups.size).toBe(0);
    });

    it('gives a goodbye its time, and kills what ignores it or has left the group', async () => {
      const lines: OutputLine[] = [];
      const supervisor = newSupervisor();
      const polite = supervisor.start(
        shell("trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done", lines),
      );
      const deaf = supervisor.start(
        shell("trap '' TERM; setsid sh -c \"trap '' TERM; echo up; sleep 600\" & wait; sleep 600", lines),
      );
      await until(() => lines.filter((one) => one.line === 'up').length === 2, {
        what: 'both to be up',
      });
      await supervisor.stop(polite, 60_000);
      expect(lines.map((one) => one.line)).toContain('bye');
      expect(polite.exit).toEqual({ code: 0, signal: null });
      expect(processesOf(deaf).length).toBeGreaterThan(1);
      await supervisor.stop(deaf, 200);
      expect(processesOf(deaf)).toEqual([]);
    });

    it('never takes a later process with the same pid for its own', () => {
      const record = { pid: process.pid, startTime: 'another time', marker: 'nobody carries this' };
      expect(processesOf(record)).toEqual([]);
      expect(startTimeOf(process.pid)).not.toBe('another time');
    });

    it('knows the ports that it listens on, and no others', async () => {
      const lines: OutputLine[] = [];
      const supervisor = newSupervisor();
      const script =
        "const s = require('net').createServer().listen(0, '127.0.0.1', () => console.log(s.address().port))";
      const group = supervisor.start(shell('', lines, { command: process.execPath, args: ['-e', script] }));
      const other = supervisor.start(shell('sleep 600'));
      const { line } = await until(() => lines[0], { what: 'its port' });
      expect(onPort(listenersOf(group), Number(line))).toEqual({ host: '127.0.0.1', port: Number(line) });
      expect(listenersOf(other)).toEqual([]);
      expect(pidsOnPort(group, Number(line))).toEqual([group.pid]);
      expect(pidsOnPort(other, Number(line))).toEqual([]);
    });
  });

  describe('a program that is known to leave nothing behind', () => {
    it('is ended with its group all the same when it did', async () => {
      const supervisor = newSupervisor();
      const group = supervisor.start(shell('sleep 600 & exit 0'));
      await group.exited;
      expect(processesOf(group)).toHaveLength(1);
      await supervisor.stopKnown(group, 500);
      expect([processesOf(group), supervisor.groups.size]).toEqual([[], 0]);
    });

    it('may leave what has gone into a session of its own, until the supervisor closes', async () => {
      const supervisor = newSupervisor();
      const group = supervisor.start(shell('setsid sleep 600 & exit 0'));
      await group.exited;
      await until(() => processesOf(group).some((row) => row.groupId !== group.pid), {
        what: 'the session of its own',
      });
      await supervisor.stopKnown(group, 500);
      expect([processesOf(group).length, supervisor.groups.size]).toEqual([1, 0]);
      await supervisor.close();
      expect(processesOf(group)).toEqual([]);
    });
  });

  describe('the warden', () => {
    async function startProgram() {
      const file = fileURLToPath(new URL('supervisor-program.ts', import.meta.url));
      // A process group of its own, so that all of it can be killed at once.
      const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
      const said = createInterface({ input: child.stdout });
      const next = async (): Promise<{ supervisor: string; warden: number }> => {
        const [line]: unknown[] = await once(said, 'line');
        return JSON.parse(String(line));
      };
      const { supervisor, warden } = await next();
      onTestFinished(() => killCarriers(supervisor));
      await until(() => carriersOf(supervisor).length >= 3, { what: 'the three processes' });
      return { next, supervisor, warden, pid: child.pid ?? 0 };
    }

    it.each([
      { how: 'the parent alone', target: (pid: number) => pid },
      { how: "the parent's whole process group", target: (pid: number) => -pid },
    ])('ends everything after kill -9 of $how, then itself', async ({ target }) => {
      const { supervisor, warden, pid } = await startProgram();
      process.kill(target(pid), 'SIGKILL');
      await until(() => carriersOf(supervisor).length === 0, { what: 'everything to be gone' });
      await until(() => startTimeOf(warden) === undefined, { what: 'the warden to be gone' });
    });

    it('is replaced when it dies, and the new one ends everything too', async () => {
      const { supervisor, warden, pid, next } = await startProgram();
      const replaced = next();
      process.kill(warden, 'SIGKILL');
      expect((await replaced).warden).not.toBe(warden);
      expect(carriersOf(supervisor).length).toBeGreaterThanOrEqual(3);
      process.kill(pid, 'SIGKILL');
      await until(() => carriersOf(supervisor).length === 0, { what: 'everything to be gone' });
    });

    it('is dismissed by close, with everything stopped', async () => {
      const supervisor = new ProcessSupervisor();
      const group = supervisor.start(shell('sleep 600 & sleep 601'));
      const warden = supervisor.wardenPid ?? 0;
      await supervisor.close();
      expect(processesOf(group)).toEqual([]);
      expect(startTimeOf(warden)).toBeUndefined();
    });
  });
});
