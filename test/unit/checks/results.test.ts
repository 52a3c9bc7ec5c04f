import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CheckResult, countChecks, countReport, failuresIn, sum } from '../../support/checks/results.ts';

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((each) => ({ status: each })),
});

const report = (passed: number, failed: number, testResults = [file('passed', 'passed')]) => ({
  numPassedTests: passed,
  numFailedTests: failed,
  testResults,
});

const step = (name: string, ok: boolean, more: Partial<CheckResult> = {}): CheckResult => ({
  name,
  ok,
  seconds: 1,
  ...more,
});

/** A results folder with these checks, and this report under `vitest.json`. */
function resultsFolder(checks: unknown, tests?: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-results-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (checks !== undefined) writeFileSync(join(folder, 'checks.json'), text(checks));
  if (tests !== undefined) writeFileSync(join(folder, 'vitest.json'), text(tests));
  return folder;
}

const text = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content));

const tests = { report: 'vitest.json' };

describe('the count of a report', () => {
  it.each([
    ['what passed and failed', report(5, 2), { passed: 5, failed: 2 }],
    ['one failure for no tests', report(0, 0, []), { passed: 0, failed: 1 }],
    ['one failure when all are skipped', report(0, 0, [file('passed', 'skipped')]), { passed: 0, failed: 1 }],
    ['one for a file that cannot be loaded', report(5, 0, [file('failed')]), { passed: 5, failed: 1 }],
    [
      'a failed test of a failed file once',
      report(5, 1, [file('failed', 'failed')]),
      { passed: 5, failed: 1 },
    ],
    ['one failure for another document', { tests: 5 }, { passed: 0, failed: 1 }],
    ['one failure for nothing', undefined, { passed: 0, failed: 1 }],
  ])('is %s', (_, content, counts) => {
    expect(countReport(content)).toEqual(counts);
  });
});

describe('the count of a results folder', () => {
  it('takes each check for one test and adds those of the report', () => {
    const checks = [step('types', true), step('lint', false), step('tests', true, tests)];
    expect(countChecks(resultsFolder(checks, report(7, 0)))).toEqual({ passed: 8, failed: 1 });
  });

  it('has no second failure for a runner that failed because of its tests', () => {
    const checks = [step('tests', false, tests)];
    expect(countChecks(resultsFolder(checks, report(7, 2)))).toEqual({ passed: 7, failed: 2 });
  });

  it('has one for a runner that failed although its tests passed', () => {
    const checks = [step('tests', false, tests)];
    expect(countChecks(resultsFolder(checks, report(7, 0)))).toEqual({ passed: 7, failed: 1 });
  });

  it.each([
    ['is no list of checks', undefined, undefined],
    ['is an empty list', [], undefined],
    ['is a broken list', '[{"na', undefined],
    ['is no report', [step('tests', true, tests)], undefined],
    ['is a broken report', [step('tests', true, tests)], '{"numPassedTests": 3'],
    ['is a report without tests', [step('tests', true, tests)], report(0, 0, [])],
  ])('is a failure when there %s', (_, checks, content) => {
    expect(countChecks(resultsFolder(checks, content))).toEqual({ passed: 0, failed: 1 });
  });
});

it('adds up', () => {
  expect(
    sum([
      { passed: 1, failed: 2 },
      { passed: 3, failed: 4 },
    ]),
  ).toEqual({ passed: 4, failed: 6 });
});

describe('what failed in a results folder', () => {
  it('is each failed test by file, name and message, and each other check that failed', () => {
    const checks = [step('types', true), step('lint', false), step('tests', false, tests)];
    const assertionResults = [
      { status: 'passed', fullName: 'it works' },
      { status: 'failed', fullName: 'it fails', failureMessages: ['Error: expected 1\n    at a place'] },
    ];
    const failed = { name: join(process.cwd(), 'test/a.test.ts'), status: 'failed', assertionResults };
    const broken = { ...file('failed'), name: join(process.cwd(), 'test/b.test.ts') };
    const folder = resultsFolder(checks, report(1, 1, [failed, broken]));
    expect(failuresIn(folder)).toEqual([
      `${folder}: lint`,
      'test/a.test.ts > it fails: Error: expected 1',
      'test/b.test.ts: cannot be loaded',
    ]);
  });

  it('is the step itself where its report says nothing', () => {
    const folder = resultsFolder([step('tests', false, tests)]);
    expect(failuresIn(folder)).toEqual([`${folder}: tests`]);
  });
});
