import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { configWithRules, lintFile, pageFile, pageWithTable } from '../../support/import-rules/files.ts';
import { type ImportRule, importRules, nameOf } from '../../support/import-rules/rules.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('import-rules.json', () => {
  it('is what the linter and docs/architecture.md say; `npm run import-rules` writes both', () => {
    expect(JSON.parse(readFileSync(lintFile, 'utf8'))).toEqual(configWithRules());
    expect(readFileSync(pageFile, 'utf8')).toBe(pageWithTable());
  });

  it('has a rule for everything at the top of lib', () => {
    const ruled = new Set(importRules.map(({ path }) => nameOf(path)));
    expect(readdirSync(join(root, 'lib')).filter((name) => !ruled.has(name))).toEqual([]);
  });

  it('has features that are flat folders, which its rules count on', () => {
    const inFeatures = readdirSync(join(root, 'lib/features'), { recursive: true, withFileTypes: true });
    const nested = inFeatures.filter(
      (entry) => entry.isDirectory() && !entry.parentPath.endsWith('features'),
    );
    expect(nested.map(({ parentPath, name }) => join(parentPath, name))).toEqual([]);
  });

  it('lets no two folders import each other, directly or through others', () => {
    const importsOf = new Map(
      importRules.map(({ path, imports }) => {
        const own = nameOf(path);
        return [own, imports.filter((name) => name !== own)];
      }),
    );
    const reached = (from: string, seen: ReadonlySet<string>): string[] =>
      (importsOf.get(from) ?? []).flatMap((name) =>
        seen.has(name) ? [name] : [name, ...reached(name, new Set([...seen, name]))],
      );
    // The command line and its largest command are one program in two folders.
    const alone = [...importsOf.keys()].filter((name) => !name.startsWith('cli'));
    expect(alone.filter((name) => reached(name, new Set()).includes(name))).toEqual([]);
  });
});

/** What only a person can know to be right. */
const facts: [file: string, specifier: string, allowed: boolean][] = [
  ['lib/contract/a.ts', '../domain/decide.ts', false],
  ['lib/contract/a.ts', 'zod', true],
  ['lib/contract/a.ts', 'node:crypto', false],
  ['lib/domain/a.ts', 'uuid', false],
  ['lib/domain/a.ts', '../contract/errors.ts', true],
  ['lib/store/a.ts', '@aws-sdk/lib-dynamodb', true],
  ['lib/store/a.ts', '@aws-sdk/client-s3', false],
  ['lib/features/deployments/a.ts', '../../adapters/blobs.ts', true],
  ['lib/features/deployments/a.ts', '../../adapters/aws/blobs.ts', false],
  ['lib/features/deployments/a.ts', '@aws-sdk/client-sfn', false],
  ['lib/drive/a.ts', '../compute/runner.ts', true],
  ['lib/drive/a.ts', '../compute/ecs/compute.ts', false],
  ['lib/compute/runner.ts', './ecs/compute.ts', false],
  ['lib/compute/runner.ts', '../domain/rollout.ts', true],
  ['lib/compute/runner.ts', '../core/deps.ts', false],
  ['lib/compute/ecs/a.ts', '../port.ts', true],
  ['lib/compute/ecs/a.ts', '../../store/table.ts', false],
  ['lib/features/deployments/a.ts', '../../core/items/deployments.ts', true],
  ['lib/features/deployments/a.ts', '../../core/engine/transactions/tasks.ts', true],
  ['lib/features/deployments/a.ts', '../../core/items/revision-moves.ts', false],
  ['lib/features/deployments/a.ts', '../../store/dynamodb/expressions.ts', false],
  ['lib/features/deployments/a.ts', '../../store/dynamodb/reads.ts', false],
  ['lib/features/deployments/a.ts', '../../store/dynamodb/transact.ts', true],
  ['lib/features/deployments/a.ts', '../../store/keys/index.ts', false],
  ['lib/features/deployments/a.ts', '../../store/keys/placements.ts', false],
  ['lib/core/oauth/a.ts', '../../store/keys/index.ts', false],
  ['lib/core/oauth/a.ts', '../items/oauth-tokens.ts', true],
  ['lib/adapters/a.ts', './aws/blobs.ts', false],
  ['lib/adapters/outbound/a.ts', '../aws/blobs.ts', false],
  ['lib/contract/a.ts', '../features/things/shape.ts', false],
  ['lib/contract/routes/index.ts', './things.ts', true],
  ['lib/contract/routes/index.ts', '../../features/things/create.ts', false],
  ['lib/core/items/a.ts', '../../features/things/store.ts', false],
  ['lib/core/engine/a.ts', '../../features/things/create.ts', false],
  ['lib/features/things/create.ts', './parts.ts', true],
  ['lib/features/things/create.ts', '../others/store.ts', true],
  ['lib/features/things/create.ts', '../others/create.ts', false],
  ['lib/features/things/create.ts', '../../core/audit.ts', true],
  ['lib/features/things/create.ts', '../../store/dynamodb/transact.ts', true],
  ['lib/features/things/create.ts', '../../store/dynamodb/expressions.ts', false],
  ['lib/features/things/shape.ts', '../others/shape.ts', true],
  ['lib/features/things/shape.ts', './store.ts', false],
  ['lib/features/things/shape.ts', './items.ts', false],
  ['lib/features/things/store.ts', './items.ts', true],
  ['lib/features/things/routes.ts', './shape.ts', true],
  ['lib/features/things/routes.ts', './create.ts', false],
  ['lib/features/things/store.ts', './shape.ts', true],
  ['lib/features/things/store.ts', './create.ts', false],
  ['lib/features/things/store.ts', '../others/store.ts', false],
  ['lib/features/things/store.ts', '../../store/dynamodb/expressions.ts', true],
  ['lib/http/a.ts', '../store/keys/index.ts', false],
  ['lib/infra/a.ts', '../store/table.ts', true],
  ['lib/infra/a.ts', '../store/keys/index.ts', false],
  ['lib/infra/a.ts', '../store/deeper/keys.ts', false],
  ['lib/compute/process/a.ts', '../../store/keys/index.ts', false],
  ['lib/compute/kubernetes/a.ts', '@kubernetes/client-node', true],
  ['lib/compute/runner.ts', './kubernetes/driver.ts', false],
  ['lib/drive/a.ts', '../compute/kubernetes/driver.ts', false],
  ['lib/container.ts', './compute/kubernetes/driver.ts', false],
  ['lib/listener/a.ts', '../compute/process/driver.ts', false],
  ['lib/listener/a.ts', '../features/things/shape.ts', true],
  ['lib/listener/a.ts', '../features/things/create.ts', false],
  ['lib/compute/kubernetes/a.ts', '../../features/things/create.ts', false],
  ['lib/compute/process/a.ts', '../../features/things/shape.ts', true],
  ['lib/drive/a.ts', '../features/things/create.ts', true],
  ['lib/compute/process/a.ts', '@aws-sdk/client-s3', false],
  ['lib/embedded/runtime/a.ts', '../../store/keys/index.ts', false],
  ['lib/adapters/aws/a.ts', '../../store/dynamodb/expressions.ts', false],
  ['lib/embedded/a.ts', '../infra/stack.ts', false],
  ['lib/container.ts', './embedded/runtime/start.ts', false],
  ['functions/api/things/get.ts', '../../../lib/store/keys/index.ts', false],
  ['functions/api/things/get.ts', '../../../lib/container.ts', true],
  ['functions/api/things/get.ts', '../../../lib/features/things/get.ts', true],
  ['functions/api/things/get.ts', '../../../lib/features/things/store.ts', false],
  ['functions/api/things/get.ts', 'zod', false],
];

type Line = { file: string; imported: string; types: boolean; allowed: boolean };

const names = importRules.map(({ path }) => nameOf(path));
const above = (file: string): string => '../'.repeat(file.split('/').length - 1);

/** How a file of lib or functions names another one. */
function specifierOf(file: string, name: string): string {
  const target = (name.endsWith('.ts') ? name : `${name}/any.ts`).replace('*', 'any');
  if (file === 'lib/container.ts' && target !== 'functions/any.ts') return `./${target}`;
  if (target === 'functions/any.ts') return `${above(file)}${target}`;
  return file.startsWith('lib/') ? `${above(file).slice(3)}${target}` : `${above(file)}lib/${target}`;
}

/** An import of each other folder, as a value and as a type, with what the rule says of it. */
function linesOf({ path, imports, types }: ImportRule): Line[] {
  const own = nameOf(path);
  const file = (path.endsWith('.ts') ? path : `${path}/deeper/a.ts`).replace('*', 'any');
  const others = names.filter((name) => name !== own && !own.startsWith(`${name}/`));
  return [
    ...others.flatMap((name) => {
      const imported = specifierOf(file, name);
      const isAllowed = imports.includes(name);
      return [
        { file, imported, types: false, allowed: isAllowed },
        { file, imported, types: true, allowed: isAllowed || types.includes(name) },
      ];
    }),
    { file, imported: `${above(file)}test/any.ts`, types: true, allowed: false },
    { file, imported: `${above(file)}bin/any.ts`, types: true, allowed: false },
  ];
}

const lines: Line[] = [
  ...importRules.flatMap(linesOf),
  ...facts.map(([file, imported, allowed]) => ({ file, imported, types: false, allowed })),
];
const byFile = Map.groupBy(lines, ({ file }) => file);
/** `file:line` of each import that the linter refuses. */
let refused: Set<string>;

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-import-rules-'));
  try {
    copyFileSync(lintFile, join(folder, '.oxlintrc.json'));
    for (const [name, ofFile] of byFile) {
      const file = join(folder, name);
      mkdirSync(dirname(file), { recursive: true });
      // One import a line, so that a finding's line names it.
      const text = ofFile.map(({ imported, types }, at) =>
        types ? `export type { T${at} } from '${imported}';` : `export { v${at} } from '${imported}';`,
      );
      writeFileSync(file, `${text.join('\n')}\n`);
    }
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['-f', 'unix'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const found = stdout.matchAll(/^(?<at>[^:\n]+:\d+):\d+: .*no-restricted-imports/gm);
    refused = new Set([...found].map(({ groups }) => groups?.at ?? ''));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

describe.each([...byFile])('the linter in %s', (file, ofFile) => {
  it('allows what the rules allow, and nothing else', () => {
    const said = ofFile.map((line, at) => ({ ...line, allowed: !refused.has(`${file}:${at + 1}`) }));
    expect(said).toEqual(ofFile);
  });
});
