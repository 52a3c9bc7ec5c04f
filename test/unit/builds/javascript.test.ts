import { describe, expect, it } from 'vitest';
import { buildStep, installStep } from '../../../lib/builds/javascript.ts';
import type { BuildStep } from '../../../lib/builds/plan.ts';
import type { PackageJson } from '../../../lib/builds/project.ts';

const plainPackage: PackageJson = {
  scripts: {},
  main: undefined,
  hasDependencies: true,
  dependencies: new Set(['a']),
  packageManager: undefined,
  nodeRange: undefined,
};

const managedBy = (packageManager: string): PackageJson => ({ ...plainPackage, packageManager });

function facts(files: string[], more: { packageJson?: PackageJson | undefined; tools?: string[] } = {}) {
  const { tools = ['npm', 'npx'] } = more;
  const packageJson = 'packageJson' in more ? more.packageJson : plainPackage;
  return { files: new Set(files), tools: new Set(tools), packageJson };
}

const commandOf = (plan: BuildStep) => (plan.do === 'run' ? plan.command : plan);

describe('how dependencies are installed', () => {
  it.each<[string, ReturnType<typeof facts>, string]>([
    ['a lockfile of npm', facts(['package-lock.json', 'yarn.lock']), 'npm ci'],
    ['a shrinkwrap', facts(['npm-shrinkwrap.json']), 'npm ci'],
    ['no lockfile', facts([]), 'npm install'],
    [
      'pnpm, installed',
      facts(['pnpm-lock.yaml'], { tools: ['pnpm', 'npx'] }),
      'pnpm install --frozen-lockfile',
    ],
    ['pnpm by npx', facts(['pnpm-lock.yaml']), 'npx --yes pnpm@10 install --frozen-lockfile'],
    [
      'pnpm in the version named',
      facts(['pnpm-lock.yaml'], { tools: ['pnpm', 'npx'], packageJson: managedBy('pnpm@9.15.0+sha512.abc') }),
      'npx --yes pnpm@9.15.0 install --frozen-lockfile',
    ],
    [
      'pnpm when the version named is no version',
      facts(['pnpm-lock.yaml'], { packageJson: managedBy('pnpm@1.2.3; touch x') }),
      'npx --yes pnpm@10 install --frozen-lockfile',
    ],
    ['yarn 1 by npx', facts(['yarn.lock']), 'npx --yes yarn@1 install --frozen-lockfile'],
    ['bun, installed', facts(['bun.lock'], { tools: ['bun', 'npm'] }), 'bun install --frozen-lockfile'],
    ['bun that is not there', facts(['bun.lock']), 'npm install'],
    [
      'yarn 4, installed',
      facts(['yarn.lock', '.yarnrc.yml'], { tools: ['yarn'] }),
      'YARN_NODE_LINKER=node-modules yarn install --immutable',
    ],
    [
      'yarn 4 by npx',
      facts(['yarn.lock'], { packageJson: managedBy('yarn@4.1.0') }),
      'YARN_NODE_LINKER=node-modules npx --yes --package=@yarnpkg/cli-dist@4.1.0 yarn install --immutable',
    ],
    [
      'pnpm that is named, without a lockfile',
      facts([], { packageJson: managedBy('pnpm@9.15.0') }),
      'npx --yes pnpm@9.15.0 install --no-frozen-lockfile',
    ],
    [
      'yarn 1 that is named, without a lockfile',
      facts([], { packageJson: managedBy('yarn@1.22.22') }),
      'npx --yes yarn@1.22.22 install',
    ],
    [
      'yarn 4 that is named, without a lockfile',
      facts([], { packageJson: managedBy('yarn@4.1.0') }),
      'YARN_NODE_LINKER=node-modules npx --yes --package=@yarnpkg/cli-dist@4.1.0 yarn install --no-immutable',
    ],
    [
      'bun that is named, without a lockfile',
      facts([], { tools: ['bun', 'npm'], packageJson: managedBy('bun@1.2.0') }),
      'bun install',
    ],
    ['npm that is named', facts([], { packageJson: managedBy('npm@11.0.0') }), 'npm install'],
  ])('%s', (_, found, command) => {
    expect(commandOf(installStep(found, undefined))).toBe(command);
  });

  it("takes the client's command before everything else", () => {
    expect(commandOf(installStep(facts(['package-lock.json']), 'make deps'))).toBe('make deps');
    expect(commandOf(buildStep(facts([]), 'make all', false))).toBe('make all');
  });

  it('falls back only on the error of a lockfile that does not fit', () => {
    const plan = installStep(facts(['package-lock.json']), undefined);
    const pattern = plan.do === 'run' ? plan.fallback?.onOutput : undefined;
    expect(pattern).toBeDefined();
    expect('npm error code EUSAGE').toMatch(new RegExp(String(pattern)));
    expect('npm error code E404').not.toMatch(new RegExp(String(pattern)));
    expect('see EUSAGE in the manual').not.toMatch(new RegExp(String(pattern)));
  });

  it('skips where there is nothing to install or build', () => {
    expect(installStep(facts([], { packageJson: undefined }), undefined).do).toBe('skip');
    expect(
      installStep(facts([], { packageJson: { ...plainPackage, hasDependencies: false } }), undefined).do,
    ).toBe('skip');
  });

  it('runs the build script, of an agent only when the client asks for it', () => {
    const found = facts([]);
    expect(buildStep(found, undefined, false)).toMatchObject({
      do: 'script',
      name: 'build',
      present: { do: 'run', command: 'npm run build' },
      absent: { do: 'skip', reason: 'there is no build script' },
    });
    expect(buildStep(found, undefined, true)).toMatchObject({
      present: { do: 'skip', reason: expect.stringContaining('set build_command to "npm run build"') },
    });
    expect(commandOf(buildStep(found, 'npm run build', true))).toBe('npm run build');
  });

  it('says which tool is missing', () => {
    expect(installStep(facts(['pnpm-lock.yaml'], { tools: ['npm'] }), undefined)).toEqual({
      do: 'fail',
      reason: 'pnpm-lock.yaml asks for pnpm, but neither pnpm nor npx is installed on this machine',
    });
    expect(installStep(facts([], { tools: [] }), undefined)).toEqual({
      do: 'fail',
      reason: 'npm is not installed on this machine',
    });
  });
});
