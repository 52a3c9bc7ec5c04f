import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { awsRows } from '../../../lib/settings/aws.ts';
import { embeddedRows } from '../../../lib/settings/embedded.ts';
import * as functionVariables from '../../../lib/settings/functions.ts';
import { listenerRows } from '../../../lib/settings/listener.ts';
import { type Row, type Rows, schemaOf } from '../../../lib/settings/row.ts';
import { variableOf } from '../../../lib/settings/spelling.ts';

const root = new URL('../../../', import.meta.url).pathname;
const read = (file: string): string => readFileSync(`${root}${file}`, 'utf8');

const surfaces: Readonly<Record<string, Rows>> = { embeddedRows, listenerRows, awsRows };
const rows = Object.entries(surfaces).flatMap(([surface, of]) =>
  Object.entries(of).map(([name, row]) => [`${surface}.${name}`, name, row] as const),
);

type NumberRow = Extract<Row, { unit: string }>;
const isNumber = (row: Row): row is NumberRow => 'unit' in row;
const numbers = rows.flatMap(([id, name, row]) => (isNumber(row) ? [[id, name, row] as const] : []));

describe('a number', () => {
  it.each(numbers)('%s has its default, both its bounds, and nothing beyond', (_, __, row) => {
    const accepts = (value: number) => schemaOf(row).safeParse(String(value)).data === value;
    expect(schemaOf(row).parse('')).toBe(row.default);
    if (row.default !== undefined) expect(accepts(row.default)).toBe(true);
    expect(accepts(row.min)).toBe(true);
    expect(accepts(row.min - 1)).toBe(false);
    expect(accepts(row.min + 0.5)).toBe(!row.whole);
    expect(accepts(row.max ?? Number.MAX_SAFE_INTEGER)).toBe(true);
    if (row.max !== undefined) expect(accepts(row.max + 1)).toBe(false);
  });

  it.each(numbers)('%s ends in its unit', (_, name, { unit }) => {
    const ends = {
      seconds: /Seconds$/,
      days: /Days$/,
      port: /[pP]ort$/,
      count: /./,
      'requests a second': /./,
    };
    expect(name).toMatch(ends[unit]);
    if (unit === 'count') expect(name).not.toMatch(/(Seconds|Days|[pP]ort)$/);
  });
});

it('a wrong value is refused with what is wanted', () => {
  const wrong = schemaOf(awsRows.buildSeconds).safeParse('4000').error?.issues[0]?.message;
  expect(wrong).toBe(
    "must be a whole number from 300 to 3300, not '4000': what a build pushes with is good for an hour, and it may wait for five minutes",
  );
});

it('each absent setting has a value that its own schema gives, unless it is required', () => {
  const bad = rows.filter(([, , row]) => !schemaOf(row).safeParse(undefined).success).map(([id]) => id);
  expect(bad).toEqual([]);
});

it('a variable of functions reads what it is called', () => {
  const asked = Object.entries(functionVariables).map(([name, readValue]) => {
    const names: string[] = [];
    const source = new Proxy<Record<string, string>>({}, { get: (_, key) => void names.push(String(key)) });
    try {
      readValue(source);
    } catch {
      // A required one is not there.
    }
    return [name, [...new Set(names)]];
  });
  expect(asked).toEqual(Object.keys(functionVariables).map((name) => [name, [name]]));
});

const listenerVariables = Object.entries(listenerRows).flatMap(([name, row]) =>
  row.only === 'option' ? [] : [variableOf(name, row)],
);
const known = new Set([
  ...Object.entries<Row>(embeddedRows).map(([name, row]) => variableOf(name, row)),
  ...listenerVariables,
  ...Object.keys(functionVariables),
]);

/** Variables that are no settings of Slipway, and who sets them. */
const others: Readonly<Record<string, string>> = {
  PATH: 'the system',
  GIT_SSH_COMMAND: 'users of git',
  NODE_ENV: 'the bundle of the console: a constant',
  CDK_DEFAULT_ACCOUNT: 'the CDK',
  CDK_DEFAULT_REGION: 'the CDK',
  POWERTOOLS_LOG_LEVEL: 'operators of functions, as of every function with Powertools',
  LANGGRAPH_MOUNT_PREFIX: 'the listener, for the program that it starts',
  MOUNT_PREFIX: 'the listener, for the program that it starts',
  RUN_GROUP_ID: 'the supervisor, for what it starts',
  HOME: 'the system: where pyenv and uv keep interpreters',
  PYENV_ROOT: 'users of pyenv',
  XDG_DATA_HOME: 'the system: where uv keeps interpreters',
  UV_PYTHON_INSTALL_DIR: 'users of uv',
  UVICORN_ROOT_PATH: 'the listener or a deployment, for uvicorn',
  PROCESSES_READ_WITH: 'tests: how processes are listed',
  SLIPWAY_HIDDEN_FOLDER: 'the embedded runtime, for its listener',
  SLIPWAY_CDK_COMMAND: 'bin/cdk.sh, for the app of the CDK',
  SLIPWAY_CDK_EXCLUSIVELY: 'bin/cdk.sh, for the app of the CDK',
  SLIPWAY_PREFLIGHT: 'operators, for one deploy: docs/operations.md',
  SLIPWAY_TENANT_ID: 'the installation, for one build',
  SLIPWAY_DEPLOYMENT_ID: 'the installation, for one build',
  SLIPWAY_REVISION_ID: 'the installation, for one build; listeners, for the server that they start',
  SLIPWAY_INTERNAL_TOKEN: 'the listener, for the agent server that it starts',
  DATABASE_URI: 'the listener, for the durable server that it starts',
  HOST: 'the listener, for the durable server that it starts',
  N_JOBS_PER_WORKER: 'the listener, for the durable server that it starts',
  BG_JOB_TIMEOUT_SECS: 'the listener, for the durable server that it starts',
  SLIPWAY_BUILD_ID: 'the listener, for the durable server that it starts',
  SLIPWAY_WORKER_FOLDER: 'the listener, for the durable server that it starts',
  SLIPWAY_FROM_API_KEY: 'users of the command copy-threads',
  SLIPWAY_FROM_AUTHORIZATION: 'users of the command copy-threads',
  SLIPWAY_TO_API_KEY: 'users of the command copy-threads',
  SLIPWAY_TO_AUTHORIZATION: 'users of the command copy-threads',
  SLIPWAY_COMMIT: 'listeners, for the server that they start',
  CI: 'services of CI, for every program',
  NO_COLOR: 'users of any program: no-color.org',
  XDG_CONFIG_HOME: 'the system: where settings of users are',
  APPDATA: 'Windows: where settings of users are',
  SLIPWAY_BUILD_NAME: 'the installation, for one build',
  SLIPWAY_PLATFORMS: 'the installation, for one build',
};

describe('the source', () => {
  const files = globSync('{lib,bin}/**/*.{ts,sh}', { cwd: root });
  const sources = files.map((file) => [file, read(file)] as const);

  const places = sources.flatMap(([file, text]) => {
    const named = [
      ...text.matchAll(/\b(?:process\.env|environment|variables|env)\??\.([A-Z][A-Z0-9_]+)\b/g),
      ...text.matchAll(/\b(?:variable|idFrom)\('([A-Z][A-Z0-9_]+)'/g),
      ...text.matchAll(/_VARIABLE = '([A-Z][A-Z0-9_]+)'/g),
      ...text.matchAll(/\b(SLIPWAY_[A-Z0-9_]*[A-Z0-9])\b/g),
    ].map(([, name = '']) => name);
    const taken = [...text.matchAll(/\{([^{}]*)\} = (?:process\.env|environment|variables)\b/g)].flatMap(
      ([, names = '']) => names.match(/[A-Z][A-Z0-9_]+/g) ?? [],
    );
    return [...named, ...taken].map((name) => `${file}: ${name}`);
  });

  it('reads no variable that is not a row of lib/settings', () => {
    const nameIn = (place: string): string => place.split(': ')[1] ?? '';
    const unknown = places.filter((place) => !known.has(nameIn(place)) && !(nameIn(place) in others));
    expect(unknown).toEqual([]);
    const found = new Set(places.map(nameIn));
    expect(Object.keys(others).filter((name) => !found.has(name))).toEqual([]);
  });

  it('asks the context of the CDK for no setting that is not a row', () => {
    const asked = sources.flatMap(([file, text]) =>
      [...text.matchAll(/\b(?:context|contextOf\(\w+\)|(?:try)?[gG]etContext)\('([^']+)'\)/g)].map(
        ([, name = '']) => [file, name],
      ),
    );
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter(([, name = '']) => !(name in awsRows))).toEqual([]);
  });
});

it('the chart of the listener sets variables that are rows', () => {
  const text = globSync('charts/**/*.yaml', { cwd: root }).map(read).join('\n');
  const set = [...new Set(text.match(/SLIPWAY_[A-Z_]+/g))];
  expect(set.length).toBeGreaterThan(10);
  expect(set.filter((name) => !listenerVariables.includes(name))).toEqual([]);
});

it('a setting has one name on all surfaces', () => {
  const sharing = Map.groupBy(rows, ([, , { does }]) => does).values();
  const names = [...sharing].map((same) => new Set(same.map(([, name]) => name)));
  expect(names.filter(({ size }) => size > 1)).toEqual([]);
});
