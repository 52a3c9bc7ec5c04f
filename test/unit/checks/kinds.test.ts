import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { computeTypes } from '../../../lib/compute/kinds.ts';
import { sources } from '../../../lib/contract/revision-status.ts';

type Named = { values: readonly string[]; isMeant: (subject: string) => boolean };

/**
 * Where a text compares something with one of the values or branches on it, as `line: text`. `isMeant`:
 * whether what stands on the other side may be of that kind; it is empty where that is not to be seen.
 */
function branchesIn(text: string, { values, isMeant }: Named): string[] {
  const value = `(?<quote>['"\`])(?:${values.join('|')})\\k<quote>`;
  const comparing = [
    new RegExp(`(?<subject>[\\w.?\\])]*)\\s*[!=]==?\\s*${value}`),
    new RegExp(`${value}\\s*[!=]==?\\s*(?<subject>[\\w.?]*)`),
    new RegExp(`\\bcase\\s+${value}\\s*:`),
    new RegExp(`\\.(?:includes|startsWith|has)\\(\\s*${value}`),
    new RegExp(`\\[[^[\\]]*${value}[^[\\]]*\\](?: as const\\))?\\.(?:includes|indexOf|some|find)`),
  ];
  return text.split('\n').flatMap((line, index) => {
    const found = comparing.map((each) => each.exec(line)).filter((match) => match !== null);
    const meant = found.some(({ groups }) => isMeant(groups?.subject ?? ''));
    return meant ? [`${index + 1}: ${line.trim()}`] : [];
  });
}

/** The same of all code, as `file:line: text`, but of the place where the kinds are described. */
async function branchesOn(named: Named, home: string): Promise<string[]> {
  const folders = ['lib', 'functions', 'console', 'bin'].map(async (folder) =>
    (await readdir(folder, { recursive: true })).map((name) => join(folder, name)),
  );
  const files = (await Promise.all(folders)).flat().filter((file) => /\.tsx?$/.test(file));
  const found = files
    .filter((file) => !file.startsWith(home))
    .map(async (file) => branchesIn(await readFile(file, 'utf8'), named).map((line) => `${file}:${line}`));
  return (await Promise.all(found)).flat();
}

/** A listener's program has drivers, of which one is called as a type of compute is. */
const compute: Named = { values: computeTypes, isMeant: (subject) => !/\bdriver$/.test(subject) };
/** Git hosts have a type of their own, and one is called as a kind of source is. */
const source: Named = {
  values: sources,
  isMeant: (subject) => /source$|kind$/i.test(subject),
};
const dockerSource: Named = { values: sources.filter((each) => each !== 'github'), isMeant: () => true };

describe('a comparison with a kind by its name', () => {
  it.each<[string, Named]>([
    ["if (listener.compute_type !== 'ecs') return;", compute],
    ["type === 'k8s' && other", compute],
    ["  'process' === type", compute],
    ['    case "ecs": {', compute],
    ["['k8s', 'ecs'].includes(type)", compute],
    ["if (revision?.source !== 'github') return", source],
    ["kind === 'external_docker'", dockerSource],
    ["    case 'internal_source':", dockerSource],
  ])('is found in %s', (line, named) => {
    expect(branchesIn(`\n${line}`, named)).toEqual([`2: ${line.trim()}`]);
  });

  it.each<[string, Named]>([
    ["compute_type: 'ecs',", compute],
    ["if (options.driver === 'process') start();", compute],
    ["    case 'github': {", source],
    ["{ source: 'internal_source', source_config: {} }", dockerSource],
  ])('is not what stands in %s', (line, named) => {
    expect(branchesIn(line, named)).toEqual([]);
  });

  it('stands nowhere outside of lib/compute, for types of compute', async () => {
    expect(await branchesOn(compute, 'lib/compute/')).toEqual([]);
  });

  it('stands nowhere outside of lib/domain/source.ts, for kinds of source', async () => {
    expect(await branchesOn(source, 'lib/domain/source.ts')).toEqual([]);
    expect(await branchesOn(dockerSource, 'lib/domain/source.ts')).toEqual([]);
  });
});
