import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What stands at the top of `lib`, as imports name it. */
const parts = [
  ...['adapters', 'adapters/aws', 'app', 'cli', 'contract', 'domain', 'embedded', 'http', 'infra'],
  ...['listener', 'processes', 'serving', 'store', 'triggers', 'unpack'],
].map((folder) => `${folder}/any.ts`);
const all = [...parts, 'container.ts'];

type Rule = {
  /** A file of the part. */
  file: string;
  /** What it may import of `lib`, and what only as types. */
  sees: string[];
  seesTypes?: string[];
  packages: Record<string, boolean>;
};

const ports = ['contract/any.ts'];
const rules: Rule[] = [
  {
    file: 'lib/contract/a.ts',
    sees: [],
    packages: { zod: true, 'node:crypto': false, '@aws-sdk/client-s3': false },
  },
  { file: 'lib/domain/a.ts', sees: ports, packages: { zod: false, 'node:fs': false, uuid: false } },
  {
    file: 'lib/store/a.ts',
    sees: ['contract/any.ts', 'domain/any.ts'],
    seesTypes: ['adapters/any.ts', 'adapters/aws/any.ts'],
    packages: { '@aws-sdk/lib-dynamodb': true, '@aws-sdk/client-s3': false, 'node:fs': false },
  },
  {
    file: 'lib/app/deployments/a.ts',
    sees: ['adapters/any.ts', 'contract/any.ts', 'domain/any.ts', 'store/any.ts'],
    packages: { 'node:crypto': true, '@aws-sdk/client-sfn': false, 'node:fs/promises': false },
  },
  {
    file: 'lib/adapters/a.ts',
    sees: ports,
    packages: { 'node:crypto': true, '@aws-sdk/client-s3': false, './aws/any.ts': false },
  },
  {
    file: 'lib/adapters/aws/a.ts',
    sees: ['adapters/any.ts', 'contract/any.ts', 'domain/any.ts', 'store/any.ts'],
    packages: { '@aws-sdk/client-s3': true },
  },
  {
    file: 'lib/http/a.ts',
    sees: ['app/any.ts', 'contract/any.ts'],
    seesTypes: ['store/any.ts'],
    packages: { '@middy/core': true, '@aws-sdk/client-s3': false, 'node:fs': false },
  },
  {
    file: 'lib/triggers/a.ts',
    sees: ['adapters/any.ts', 'app/any.ts', 'contract/any.ts', 'http/any.ts'],
    seesTypes: ['store/any.ts', 'adapters/aws/any.ts'],
    packages: { zod: true, '@aws-sdk/client-s3': false },
  },
  {
    file: 'lib/processes/a.ts',
    sees: [],
    packages: { 'node:child_process': true, 'node:fs/promises': true, execa: false },
  },
  {
    file: 'lib/serving/a.ts',
    sees: [],
    packages: { 'node:http': true, undici: false, zod: false },
  },
  {
    file: 'lib/unpack/a.ts',
    sees: ['processes/any.ts'],
    packages: { tar: true, 'node:zlib': true, zod: false },
  },
  {
    file: 'lib/listener/drivers/process/a.ts',
    sees: ['contract/any.ts', 'processes/any.ts', 'serving/any.ts', 'unpack/any.ts'],
    packages: { tar: true, 'node:http': true, '@aws-sdk/client-s3': false },
  },
  {
    file: 'lib/infra/a.ts',
    sees: ['contract/any.ts', 'store/table.ts'],
    packages: { 'aws-cdk-lib': true },
  },
  {
    file: 'lib/cli/a.ts',
    sees: ['adapters/any.ts', 'app/any.ts', 'contract/any.ts'],
    seesTypes: ['store/any.ts'],
    packages: {
      '@aws-sdk/lib-dynamodb': true,
      'node:util': true,
      '@aws-sdk/client-s3': false,
      'node:fs': false,
    },
  },
  {
    file: 'lib/embedded/a.ts',
    sees: all.filter((part) => !/^(cli|infra)/.test(part)),
    packages: { tar: true },
  },
  {
    file: 'lib/container.ts',
    sees: parts.filter((part) => !/^(cli|embedded|infra|listener|processes|serving|unpack)/.test(part)),
    packages: {},
  },
  {
    file: 'functions/api/things/get.ts',
    sees: [
      'app/any.ts',
      'container.ts',
      'contract/any.ts',
      'domain/any.ts',
      'http/any.ts',
      'triggers/any.ts',
    ],
    packages: { zod: false, '@aws-sdk/client-s3': false },
  },
];

/** One import a line, so that a finding's line names it. */
type Line = { file: string; imported: string; types: boolean; allowed: boolean };

const above = (file: string): string => '../'.repeat(file.split('/').length - 1);

function pathTo(file: string, part: string): string {
  if (file === 'lib/container.ts') return `./${part}`;
  return file.startsWith('lib/') ? `${above(file).slice(3)}${part}` : `${above(file)}lib/${part}`;
}

function linesOf({ file, sees, seesTypes = [], packages }: Rule): Line[] {
  const own = file.startsWith('lib/adapters/aws/') ? 'adapters/aws/any.ts' : `${file.split('/')[1]}/any.ts`;
  const others = [...new Set([...all, ...sees])].filter((part) => part !== own && `lib/${part}` !== file);
  const toLib = others.flatMap((part) => [
    { file, imported: pathTo(file, part), types: false, allowed: sees.includes(part) },
    { file, imported: pathTo(file, part), types: true, allowed: [...sees, ...seesTypes].includes(part) },
  ]);
  const toTests = { file, imported: `${above(file)}test/any.ts`, types: false, allowed: false };
  const toPackages = Object.entries(packages).map(([imported, allowed]) => ({
    file,
    imported,
    types: false,
    allowed,
  }));
  return [...toLib, toTests, ...toPackages];
}

const lines = rules.map(linesOf);
/** `file:line` of each import that the linter refuses. */
let refused: Set<string>;

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-boundaries-'));
  try {
    copyFileSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
    for (const ofFile of lines) {
      const file = join(folder, ofFile[0]?.file ?? '');
      mkdirSync(dirname(file), { recursive: true });
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

describe.each(rules)('$file', ({ file }) => {
  it('imports what it may, and nothing else', () => {
    const own = lines.find((ofFile) => ofFile[0]?.file === file) ?? [];
    const said = own.map((line, at) => ({ ...line, allowed: !refused.has(`${file}:${at + 1}`) }));
    expect(said).toEqual(own);
  });
});

it('has a rule for everything at the top of lib', () => {
  const ruled = new Set(rules.map(({ file }) => file.split('/')[1]));
  expect(readdirSync(join(root, 'lib')).filter((name) => !ruled.has(name))).toEqual([]);
});
