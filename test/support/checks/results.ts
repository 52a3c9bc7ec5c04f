import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** What a run of the checks leaves in `test-results/`: one entry a step, in the order they ended. */
export const CHECKS_FILE = 'checks.json';

export type CheckResult = {
  name: string;
  /** True when the step's program ran and ended with 0. */
  ok: boolean;
  seconds: number;
  /** The file with vitest's JSON report beside this one; a step without it counts as one test. */
  report?: string;
};

export type Counts = { passed: number; failed: number };

/** The parts of vitest's JSON report that are counted. */
type TestReport = {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name?: string;
    status: string;
    assertionResults: { status: string; fullName?: string; failureMessages?: string[] }[];
  }[];
};

/**
 * Counts what the checks in a results folder came to. Whatever cannot be read or counted is a failure, never nothing: no list of checks,
 * an empty one, a missing or broken report, a report without tests.
 */
export function countChecks(folder: string): Counts {
  const checks = readJson(join(folder, CHECKS_FILE)) as CheckResult[] | undefined; // written by run-checks.ts
  if (!Array.isArray(checks) || checks.length === 0) return { passed: 0, failed: 1 };
  return sum(checks.map((check) => countCheck(folder, check)));
}

function countCheck(folder: string, { ok, report }: CheckResult): Counts {
  if (report === undefined) return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  const counts = countReport(readJson(join(folder, report)));
  // The runner itself failed, by an error outside of any test or before the first one.
  return !ok && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

/** Counts a report of vitest. A file that failed before its first test is one failure; skipped tests are neither. */
export function countReport(report: unknown): Counts {
  if (!isReport(report)) return { passed: 0, failed: 1 };
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  );
  const counts = { passed: report.numPassedTests, failed: report.numFailedTests + brokenFiles.length };
  return counts.passed + counts.failed === 0 ? { passed: 0, failed: 1 } : counts;
}

/** What failed in a results folder, a line each: steps that are no tests, and tests with their file and the first line of the message. */
export function failuresIn(folder: string): string[] {
  const checks = readJson(join(folder, CHECKS_FILE)) as CheckResult[] | undefined; // written by run-checks.ts
  if (!Array.isArray(checks)) return [`${folder}: nothing was recorded`];
  return checks
    .filter(({ ok }) => !ok)
    .flatMap(({ name, report }) => {
      const failed = report === undefined ? [] : failedTests(readJson(join(folder, report)));
      return failed.length === 0 ? [`${folder}: ${name}`] : failed;
    });
}

function failedTests(report: unknown): string[] {
  if (!isReport(report)) return [];
  return report.testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name = 'a file', assertionResults }) => {
      const file = relative(process.cwd(), name);
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      if (failed.length === 0) return [`${file}: cannot be loaded`];
      return failed.map(({ fullName, failureMessages }) => {
        const [firstLine = ''] = failureMessages?.[0]?.split('\n') ?? [];
        return `${file} > ${fullName ?? 'a test'}: ${firstLine}`;
      });
    });
}

export const sum = (all: Counts[]): Counts =>
  all.reduce((a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed }), {
    passed: 0,
    failed: 0,
  });

function isReport(value: unknown): value is TestReport {
  if (typeof value !== 'object' || value === null) return false;
  const { numPassedTests, numFailedTests, testResults }: { [K in keyof TestReport]?: unknown } = value;
  return (
    typeof numPassedTests === 'number' && typeof numFailedTests === 'number' && Array.isArray(testResults)
  );
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
