import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readEnvironment } from '../../../lib/embedded/environment.ts';
import { readSettings } from '../../../lib/infra/settings.ts';
import { USAGE } from '../../../lib/listener/options.ts';

const root = new URL('../../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');

/**
 * The cells of each row of the table under a heading of docs/configuration.md, without the first two lines.
 */
function rowsUnder(heading: string): string[][] {
  const section = read('docs/configuration.md').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
  expect(rows.length).toBeGreaterThan(5);
  return rows;
}

it('docs/configuration.md has every variable that the embedded runtime reads, and no other', () => {
  const source = read('lib/embedded/environment.ts');
  const names = [...source.matchAll(/^ {2}(PORT|SLIPWAY_[A-Z_]+):/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(15);
  const documented = rowsUnder('Embedded runtime').map(([name = '']) => name);
  // The database client's own.
  expect(documented.toSorted()).toEqual([...names, 'AWS_ENDPOINT_URL_DYNAMODB'].toSorted());
});

it('and their defaults', () => {
  const settings = readEnvironment({});
  const defaults = new Map(rowsUnder('Embedded runtime').map(([name = '', value = '']) => [name, value]));
  const pairs: [variable: string, value: string | number][] = [
    ['PORT', settings.port],
    ['SLIPWAY_BUILD_SECONDS', settings.buildSeconds],
    ['SLIPWAY_BUILD_QUEUE_SECONDS', settings.buildQueueSeconds],
    ['SLIPWAY_START_TIMEOUT_SECONDS', settings.startTimeoutSeconds],
    ['SLIPWAY_DRAIN_SECONDS', settings.drainSeconds],
    ['SLIPWAY_UNCLAIMED_SECONDS', settings.unclaimedSeconds],
    ['SLIPWAY_SILENT_SECONDS', settings.silentSeconds],
    ['SLIPWAY_SWEEP_SECONDS', settings.sweepSeconds],
    ['SLIPWAY_KEPT_ARTIFACTS', settings.keptArtifacts],
    ['SLIPWAY_AUDIT_DAYS', settings.auditDays],
    ['SLIPWAY_KEY_DAYS', settings.keyDays],
    ['SLIPWAY_LOG_LEVEL', settings.logLevel],
  ];
  expect(pairs.map(([name]) => [name, defaults.get(name)])).toEqual(
    pairs.map(([name, value]) => [name, String(value)]),
  );
});

it('and every option of a listener with its variable', () => {
  const options = [...USAGE.matchAll(/^ {2}(--[a-z-]+).*?(?:\((SLIPWAY_[A-Z_]+)|$)/gm)];
  const documented = rowsUnder('Listener').map(([option, variable]) => [option, variable]);
  expect(documented).toEqual(options.map(([, option, variable = '']) => [option, variable]));
});

it('and every setting of the stacks with its default', () => {
  const names: string[] = [];
  readSettings((name) => void names.push(name));
  const documented = rowsUnder('AWS');
  expect(documented.map(([name = '']) => name).toSorted()).toEqual(names.toSorted());
  const defaults = Object.entries(readSettings(() => undefined)).flatMap(([name, value]) =>
    typeof value === 'number' || (typeof value === 'string' && value !== '') ? [[name, String(value)]] : [],
  );
  const given = new Map(documented.map(([name = '', value]) => [name, value]));
  expect(defaults.map(([name = '']) => [name, given.get(name)])).toEqual(defaults);
});
