import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  againOf,
  countCheck,
  countReport,
  failuresOf,
  flakyOf,
  readCheck,
} from '../../support/checks/results.ts';

const programOf = (name: string) =>
  fileURLToPath(new URL(`../../support/checks/${name}.ts`, import.meta.url));
const printCounts = programOf('print-counts');
const runAgain = programOf('run-again');

const fileOf = (status: string, ...statuses: string[]) => ({
  status,
  assertionResults: statuses.map((each) => ({ status: each })),
});

const report = (passed: number, failed: number, testResults = [fileOf('passed', 'passed')]) => ({
  numPassedTests: passed,
  numFailedTests: failed,
  testResults,
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'slipway-results-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A run of tests that ended with this status, and left this report if any. */
function tests(status: number, content?: unknown) {
  const file = join(folder(), 'vitest.json');
  if (content !== undefined) writeFileSync(file, text(content));
  return readCheck(`${file}=${status}`);
}

const text = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content));

describe('the count of a report', () => {
  it.each([
    ['what passed and failed', report(5, 2), { passed: 5, failed: 2 }],
    ['one failure for no tests', report(0, 0, []), { passed: 0, failed: 1 }],
    [
      'one failure when all are skipped',
      report(0, 0, [fileOf('passed', 'skipped')]),
      { passed: 0, failed: 1 },
    ],
    ['one for a file that cannot be loaded', report(5, 0, [fileOf('failed')]), { passed: 5, failed: 1 }],
    [
      'a failed test of a failed file once',
      report(5, 1, [fileOf('failed', 'failed')]),
      { passed: 5, failed: 1 },
    ],
    ['one failure for another document', { tests: 5 }, { passed: 0, failed: 1 }],
    ['one failure for nothing', undefined, { passed: 0, failed: 1 }],
  ])('is %s', (_, content, counts) => {
    expect(countReport(content)).toEqual(counts);
  });
});

describe('the count of a check', () => {
  it.each([
    ['lint=0', { passed: 1, failed: 0 }],
    ['lint=1', { passed: 0, failed: 1 }],
    ['lint=137', { passed: 0, failed: 1 }],
    ['lint', { passed: 0, failed: 1 }],
    ['lint=', { passed: 0, failed: 1 }],
  ])('takes %s for one test', (given, counts) => {
    expect(countCheck(readCheck(given))).toEqual(counts);
  });

  it('is that of its report', () => {
    expect(countCheck(tests(0, report(7, 0)))).toEqual({ passed: 7, failed: 0 });
  });

  it('has no second failure for a runner that failed because of its tests', () => {
    expect(countCheck(tests(1, report(7, 2)))).toEqual({ passed: 7, failed: 2 });
  });

  it('has one for a runner that failed although its tests passed', () => {
    expect(countCheck(tests(1, report(7, 0)))).toEqual({ passed: 7, failed: 1 });
  });

  it.each([
    ['is no report', undefined],
    ['is a broken report', '{"numPassedTests": 3'],
    ['is a report without tests', report(0, 0, [])],
  ])('is a failure when there %s', (_, content) => {
    expect(countCheck(tests(0, content))).toEqual({ passed: 0, failed: 1 });
  });
});

describe('what failed in a check', () => {
  it('is nothing when it passed', () => {
    expect([failuresOf(readCheck('lint=0')), failuresOf(tests(0, report(3, 0)))]).toEqual([[], []]);
  });

  it('is the check itself where there are no tests', () => {
    expect(failuresOf(readCheck('lint=1'))).toEqual(['lint']);
    const left = tests(1);
    expect(failuresOf(left)).toEqual([left.name]);
  });

  it('is the check with the end of its log where it left one', () => {
    const log = join(folder(), 'simulation.log');
    const seeds = Array.from({ length: 30 }, (_, seed) => `seed ${seed}: a promise`);
    writeFileSync(log, `Simulating\n\n${seeds.join('\n')}\n`);
    const [shown = ''] = failuresOf(readCheck(`simulation=1=${log}`));
    expect(shown.split('\n    ')).toEqual(['simulation', ...seeds.slice(-20)]);
    expect(failuresOf(readCheck(`simulation=0=${log}`))).toEqual([]);
    expect(failuresOf(readCheck('lint=1=/no/such.log'))).toEqual(['lint']);
  });

  it('is each failed test, by file, name and message, and what failed beside them', () => {
    const assertionResults = [
      { status: 'passed', fullName: 'it works' },
      { status: 'failed', fullName: 'it fails', failureMessages: ['Error: expected 1\n    at a place'] },
    ];
    const failed = { name: join(process.cwd(), 'test/a.test.ts'), status: 'failed', assertionResults };
    const name = join(process.cwd(), 'test/b.test.ts');
    const broken = { ...fileOf('failed'), name, message: 'Hook timed out' };
    expect(failuresOf(tests(1, report(1, 1, [failed, broken])))).toEqual([
      'test/a.test.ts > it fails: Error: expected 1\n        at a place',
      'test/b.test.ts: failed beside its tests: Hook timed out',
    ]);
  });
});

it.each([
  [['lint=0', 'format=0'], 0, '2 passed, 0 failed\n'],
  [['lint=1', 'format=0'], 1, 'FAILED  lint\n1 passed, 1 failed\n'],
  [['/no/such.json=0'], 1, 'FAILED  /no/such.json\n0 passed, 1 failed\n'],
  [[], 1, '0 passed, 1 failed\n'],
])('the end of a run of %j is %i, and says why', (args, status, expected) => {
  const ran = spawnSync(process.execPath, [printCounts, ...args], { encoding: 'utf8' });
  expect([ran.status, ran.stdout]).toEqual([status, expected]);
});

/** A file of tests and how each ended, as vitest reports it. */
const ranFile = (path: string, ends: Record<string, 'passed' | 'failed'>) => ({
  name: join(process.cwd(), path),
  status: Object.values(ends).includes('failed') ? 'failed' : 'passed',
  assertionResults: Object.entries(ends).map(([fullName, status]) => ({
    status,
    fullName,
    failureMessages: status === 'failed' ? ['Error: 1'] : [],
  })),
});
const ran = (...files: ReturnType<typeof ranFile>[]) => {
  const statuses = files.flatMap((file) => file.assertionResults).map(({ status }) => status);
  const numberOf = (wanted: string) => statuses.filter((status) => status === wanted).length;
  return report(numberOf('passed'), numberOf('failed'), files);
};

describe('what failed and ran again', () => {
  const once = ran(
    ranFile('test/e2e/a.test.ts', { one: 'failed', two: 'passed' }),
    ranFile('test/e2e/b.test.ts', { three: 'passed' }),
  );

  it('counts as passed, and is named, when it passes alone', () => {
    const check = tests(1, once);
    writeFileSync(
      againOf(check.name),
      text(ran(ranFile('test/e2e/a.test.ts', { one: 'passed', two: 'passed' }))),
    );
    expect(countCheck(check)).toEqual({ passed: 3, failed: 0 });
    expect([failuresOf(check), flakyOf(check)]).toEqual([[], ['test/e2e/a.test.ts > one: Error: 1']]);
  });

  it('counts as failed when it fails again, or another of its file does', () => {
    const check = tests(1, once);
    writeFileSync(
      againOf(check.name),
      text(ran(ranFile('test/e2e/a.test.ts', { one: 'passed', two: 'failed' }))),
    );
    expect(countCheck(check)).toEqual({ passed: 2, failed: 1 });
    expect(failuresOf(check)).toEqual(['test/e2e/a.test.ts > two: Error: 1']);
    expect(flakyOf(check)).toEqual(['test/e2e/a.test.ts > one: Error: 1']);
  });

  it('counts as failed when five are flaky', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const all = (status: 'passed' | 'failed') =>
      ran(ranFile('test/e2e/a.test.ts', Object.fromEntries(names.map((name) => [name, status]))));
    const check = tests(1, all('failed'));
    writeFileSync(againOf(check.name), text(all('passed')));
    const { status, stdout } = spawnSync(process.execPath, [printCounts, `${check.name}=1`], {
      encoding: 'utf8',
    });
    expect([status, stdout.trimEnd().split('\n').at(-1)]).toEqual([1, '0 passed, 5 failed']);
  });

  /** Runs what failed again with a vitest that says this, and gives what it was asked for. */
  function again(name: string, first: unknown, second: unknown) {
    const place = folder();
    const reported = join(place, name);
    writeFileSync(reported, text(first));
    writeFileSync(join(place, 'second.json'), text(second));
    const asked = join(place, 'asked');
    const script = `#!/bin/sh\necho "$@" >>"${asked}"\ncp "${place}/second.json" "$TEST_RESULTS"\n`;
    writeFileSync(join(place, 'vitest'), script, { mode: 0o755 });
    writeFileSync(asked, '');
    const env = { ...process.env, PATH: `${place}:${process.env.PATH}` };
    spawnSync(process.execPath, [runAgain, `${reported}=1`], { env });
    return { check: readCheck(`${reported}=1`), asked: readFileSync(asked, 'utf8') };
  }

  it('is each file with a failure, alone', () => {
    const second = ran(ranFile('test/e2e/a.test.ts', { one: 'passed', two: 'passed' }));
    const { check, asked } = again('test-browser.json', once, second);
    expect(asked).toBe('run --config test/vitest.config.ts test/e2e/a.test.ts --maxWorkers 1\n');
    expect(countCheck(check)).toEqual({ passed: 3, failed: 0 });
  });

  it.each([
    [
      'whose tests neither wait nor race',
      'test.json',
      ran(ranFile('test/unit/a.test.ts', { one: 'failed' })),
    ],
    [
      'when more failed than may be flaky',
      'test.json',
      report(0, 5, [ranFile('test/e2e/a.test.ts', { one: 'failed' })]),
    ],
    ['of a part that measures', 'test-agents-side-by-side.json', once],
  ])('is no file %s', (_, name, first) => {
    expect(again(name, first, ran()).asked).toBe('');
  });
});
