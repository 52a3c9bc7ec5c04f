import { describe, expect, it } from 'vitest';
import { type PackageJson, planBuild, planInstall } from '../../../lib/embedded/builder/commands.ts';
import { failureMessage } from '../../../lib/embedded/builder/failure.ts';

const plainPackage: PackageJson = { scripts: {}, hasDependencies: true, packageManager: undefined };

const managedBy = (packageManager: string): PackageJson => ({ ...plainPackage, packageManager });

function facts(files: string[], more: { packageJson?: PackageJson | undefined; tools?: string[] } = {}) {
  const { tools = ['npm', 'npx'] } = more;
  const packageJson = 'packageJson' in more ? more.packageJson : plainPackage;
  return { files: new Set(files), tools: new Set(tools), packageJson };
}

const commandOf = (plan: ReturnType<typeof planInstall>) => (plan.do === 'run' ? plan.command : plan);

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
    [
      'yarn 4, installed',
      facts(['yarn.lock', '.yarnrc.yml'], { tools: ['yarn'] }),
      'yarn install --immutable',
    ],
    [
      'yarn 4 by npx',
      facts(['yarn.lock'], { packageJson: managedBy('yarn@4.1.0') }),
      'npx --yes --package=@yarnpkg/cli-dist@4.1.0 yarn install --immutable',
    ],
  ])('%s', (_, found, command) => {
    expect(commandOf(planInstall(found, undefined))).toBe(command);
  });

  it("takes the client's command before everything else", () => {
    expect(commandOf(planInstall(facts(['package-lock.json']), 'make deps'))).toBe('make deps');
    expect(commandOf(planBuild(facts([]), 'make all', false))).toBe('make all');
  });

  it('falls back only on the error of a lockfile that does not fit', () => {
    const plan = planInstall(facts(['package-lock.json']), undefined);
    const pattern = plan.do === 'run' ? plan.fallback?.onOutput : undefined;
    expect(pattern?.test('npm error code EUSAGE')).toBe(true);
    expect(pattern?.test('npm error code E404')).toBe(false);
    expect(pattern?.test('see EUSAGE in the manual')).toBe(false);
  });

  it('skips where there is nothing to install or build', () => {
    expect(planInstall(facts([], { packageJson: undefined }), undefined).do).toBe('skip');
    expect(
      planInstall(facts([], { packageJson: { ...plainPackage, hasDependencies: false } }), undefined).do,
    ).toBe('skip');
    expect(planBuild(facts([]), undefined, false).do).toBe('skip');
  });

  it('runs the build script, of an agent only when the client asks for it', () => {
    const found = facts([], { packageJson: { ...plainPackage, scripts: { build: 'tsc' } } });
    expect(commandOf(planBuild(found, undefined, false))).toBe('npm run build');
    expect(planBuild(found, undefined, true)).toEqual({
      do: 'skip',
      reason: expect.stringContaining('set build_command to "npm run build"'),
    });
    expect(commandOf(planBuild(found, 'npm run build', true))).toBe('npm run build');
  });

  it('says which tool is missing', () => {
    expect(planInstall(facts(['pnpm-lock.yaml'], { tools: ['npm'] }), undefined)).toEqual({
      do: 'fail',
      reason: 'pnpm-lock.yaml asks for pnpm, but neither pnpm nor npx is installed on this machine',
    });
    expect(planInstall(facts([], { tools: [] }), undefined)).toEqual({
      do: 'fail',
      reason: 'npm is not installed on this machine',
    });
  });
});

describe('the message of a failure', () => {
  it('is the summary and the last lines', () => {
    expect(failureMessage('`npm ci` exited with code 1', ['a', 'b'])).toBe(
      '`npm ci` exited with code 1:\na\nb',
    );
    expect(failureMessage('It broke', [])).toBe('It broke');
  });

  it('never exceeds 2,000 characters and keeps the end of the output', () => {
    const message = failureMessage('It broke', ['x'.repeat(3_000), 'the end']);
    expect(message).toHaveLength(2_000);
    expect(message).toMatch(/^It broke:\n…x+\nthe end$/);
    expect(failureMessage('y'.repeat(3_000), ['out'])).toHaveLength(2_000);
  });
});
