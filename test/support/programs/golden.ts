import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type At, type Ran, screenOf, slipway } from './user-cli.ts';

/** The end of every id of a revision is its number, which people read. */
const changing: [RegExp, string][] = [
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<id>'],
  [/(?<![A-Z])[B-Z]{4}-[B-Z]{4}\b/g, '<code>'],
  [/\bslipway \d+\.\d+\.\d+\b/g, 'slipway <version>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>'],
  [/^\d\d:\d\d:\d\d(?= )/gm, '<time>'],
  [/\b\d+ (?:s|min|h|days) ago/g, '<ago>'],
  [/"(timestamp|size_bytes)": \d+/g, '"$1": <number>'],
  [/http:\/\/(?:localhost|127\.0\.0\.1):\d+/g, 'http://machine'],
  [/"id": "[\w:.-]{12,}"/g, '"id": "<id>"'],
  [/"(?:object_path|source_tarball_path)": "[^"]+"/g, '"source_tarball_path": "<path>"'],
  [/(source_tarball_path: )\S+/g, '$1<path>'],
  [/(\bport |_ms=|Healthy after |\.localhost:)\d+/g, '$1<number>'],
  [/ {2,}(?=\S)/g, '  '],
  [/slp_\w+…\w+/g, 'slp_<hint>'],
  [/#code=[\w-]+/g, '#code=<code>'],
  [/slipway-[0-9a-f]{16}\.tgz/g, 'slipway-<hash>.tgz'],
  [/ in \d+ ms /g, ' in <number> ms '],
  [/\b\d s (?:ahead of|behind)/g, '0 s ahead of'],
  // What the machine has.
  [/^(\S+ {2}(?:node|git|python|disk) {2}).*$/gm, '$1<found>'],
  [/("name": "(?:node|git|python|disk)",\n"status": "\w+",\n"says": )"[^"]*"/g, '$1"<found>"'],
];

const steady = (text: string): string =>
  changing.reduce((shown, [found, instead]) => shown.replace(found, instead), text).replaceAll('\u001b', '␛');

const indented = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `    ${line}`))
    .join('\n');

const prettyJson = (text: string): string =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.stringify(JSON.parse(line), undefined, 1).replaceAll(/\n\s*/g, '\n'))
    .join('\n');

/** Statuses that a poll may see or miss, lines of logs, and how far a folder was packed. */
const passing =
  /^(?: {2}.*|[\w-]+: (?:creating|queued|waiting to \w+|building|deploying|\d+ files?, \d+ KiB).*)$/;
const lasting = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !passing.test(line))
    .join('\n');

/** One run of a command as a reader sees it. */
const shown = (title: string, { exit, stdout, stderr }: Ran): string =>
  [
    `${title}: exit ${exit}`,
    ...(stdout === '' ? [] : ['  stdout', indented(steady(stdout))]),
    ...(stderr.trim() === '' ? [] : ['  stderr', indented(steady(stderr))]),
  ].join('\n');

/**
 * What a command prints on a terminal, elsewhere and as JSON, as one text. Runs it in each of these ways;
 * `once`: of what changes something, only in this one.
 */
export async function printedBy(
  at: At,
  args: readonly string[],
  once?: 'terminal' | 'plain' | 'json',
): Promise<string> {
  const ways = once === undefined ? (['terminal', 'plain', 'json'] as const) : [once];
  const parts = [`$ slipway ${args.join(' ')}`];
  for (const way of ways) {
    const ran = await slipway(
      { ...at, terminal: way === 'terminal' },
      way === 'json' ? [...args, '--json'] : args,
    );
    const stderr = lasting(screenOf(ran.stderr));
    parts.push(shown(way, { ...ran, stderr, stdout: way === 'json' ? prettyJson(ran.stdout) : ran.stdout }));
  }
  return parts.join('\n');
}

/** Compares with the file of this name; with UPDATE_GOLDEN writes it. */
export function expectGolden(name: string, text: string): void {
  const file = fileURLToPath(new URL(`../../e2e/cli-golden/${name}.txt`, import.meta.url));
  if (process.env.UPDATE_GOLDEN !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${text}\n`);
  }
  expect(`${text}\n`).toBe(readFileSync(file, 'utf8'));
}
