import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

export type Counts = { passed: number; failed: number };

/** The parts of vitest's JSON report that are counted. */
type TestReport = { numPassedTests: number; numFailedTests: number; testResults: TestFile[] };

type TestFile = {
  name?: string;
  status: string;
  /** What failed beside its tests: loading it, its set-up, its end. */
  message?: string;
  assertionResults: { status: string; fullName?: string; failureMessages?: string[] }[];
};

/** A test that failed, or a file that failed beside its tests: its name, and how the message begins. */
type Failure = { file: string; test: string; message: string };

/**
 * A check that ended: its exit status, and the file of vitest's report or of what it printed. Without a
 * report it counts as one test. `again`: the report of the files that ran a second time, if any.
 */
export type Check = { name: string; status: number; report?: string; again?: string; log?: string };

/** So many tests that fail once and pass alone are no accident: they count as failed. */
export const FLAKY_MAX = 4;

/** Where the second run of what failed leaves its report. */
export const againOf = (report: string): string => report.replace(/\.json$/, '-again.json');

/**
 * So many lines at the end of a log say why a check failed: the simulation, for one, ends with the seeds that
 * broke a promise.
 */
const SHOWN_LINES_MAX = 20;
const SHOWN_CHARACTERS_MAX = 2000;

/**
 * Reads `lint=1` or `lint=1=lint.log` (a check named lint), or `test-results/aws.json=0` (tests that leave a
 * report). Whatever is no number is a failure.
 */
export function readCheck(argument: string): Check {
  const [name = '', text = '', log] = argument.split('=');
  const status = /^\d+$/.test(text) ? Number(text) : 1;
  return name.endsWith('.json')
    ? { name, status, report: name, again: againOf(name) }
    : { name, status, ...(log && { log }) };
}

/** What a check came to. A report that cannot be read or has no tests is a failure, never nothing. */
export function countCheck(check: Check): Counts {
  const { status, report } = check;
  if (report === undefined) return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  const first = countReport(readJson(report));
  // The runner itself failed, by an error outside of any test or before the first one.
  if (status !== 0 && first.failed === 0) return { ...first, failed: 1 };
  return countReport(mergedReport(check));
}

/** The report, with the files that ran a second time as they ended then. */
function mergedReport({ report = '', again = '' }: Check): unknown {
  const [first, second] = [readJson(report), readJson(again)];
  if (!isReport(first) || !isReport(second)) return first;
  const later = new Map(second.testResults.map((file) => [file.name, file]));
  const unchanged = first.testResults.filter(({ name }) => !later.has(name));
  const testResults = [...unchanged, ...second.testResults];
  const numberOf = (wanted: string) =>
    testResults.flatMap((file) => file.assertionResults).filter(({ status }) => status === wanted).length;
  return { numPassedTests: numberOf('passed'), numFailedTests: numberOf('failed'), testResults };
}

/** The files, as vitest names them, in which something failed the first time. */
export function failedFiles({ report = '' }: Check): string[] {
  const first = readJson(report);
  if (!isReport(first)) return [];
  return first.testResults.flatMap(({ name, status }) => (status === 'failed' && name ? [name] : []));
}

/** What failed, and passed in the second run. */
export function flakyOf(check: Check): string[] {
  if (check.report === undefined) return [];
  const still = new Set(failuresIn(mergedReport(check)).map(nameOf));
  return failuresIn(readJson(check.report))
    .filter((failure) => !still.has(nameOf(failure)))
    .map(shown);
}

/**
 * Counts a report of vitest. A file that failed before its first test is one failure; skipped tests are
 * neither.
 */
export function countReport(report: unknown): Counts {
  if (!isReport(report)) return { passed: 0, failed: 1 };
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  );
  const counts = { passed: report.numPassedTests, failed: report.numFailedTests + brokenFiles.length };
  return counts.passed + counts.failed === 0 ? { passed: 0, failed: 1 } : counts;
}

/**
 * What failed in a check: tests, each with its file and how its message begins, else the check
 * itself and how its log ends.
 */
export function failuresOf(check: Check): string[] {
  if (countCheck(check).failed === 0) return [];
  const failed = check.report === undefined ? [] : failuresIn(mergedReport(check)).map(shown);
  return failed.length === 0 ? [[check.name, ...lastLines(check.log)].join('\n    ')] : failed;
}

const lastLines = (log: string | undefined): string[] =>
  (log === undefined ? '' : (readText(log) ?? ''))
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-SHOWN_LINES_MAX);

function failuresIn(report: unknown): Failure[] {
  if (!isReport(report)) return [];
  return report.testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name = 'a file', message = '', assertionResults }) => {
      const file = relative(process.cwd(), name);
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      if (failed.length === 0) return [{ file, test: '', message }];
      return failed.map(({ fullName: test = 'a test', failureMessages: [first = ''] = [] }) => {
        return { file, test, message: first };
      });
    });
}

const nameOf = ({ file, test }: Failure): string =>
  test === '' ? `${file}: failed beside its tests` : `${file} > ${test}`;
const shown = (failure: Failure): string => `${nameOf(failure)}: ${beginningOf(failure.message)}`;

/** Enough to tell what was compared: what CI keeps of the rest may be cut. */
const beginningOf = (message: string): string =>
  message
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, SHOWN_LINES_MAX)
    .join('\n    ')
    .slice(0, SHOWN_CHARACTERS_MAX);

function isReport(value: unknown): value is TestReport {
  if (typeof value !== 'object' || value === null) return false;
  const { numPassedTests, numFailedTests, testResults }: { [K in keyof TestReport]?: unknown } = value;
  return (
    typeof numPassedTests === 'number' && typeof numFailedTests === 'number' && Array.isArray(testResults)
  );
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readText(file) ?? '');
  } catch {
    return undefined;
  }
}
