import { describe, expect, it } from 'vitest';
import { platformOf } from '../../../lib/contract/images/platforms.ts';
import { cannotBuild, type Machines, misfit, platformsOf } from '../../../lib/domain/platforms.ts';

const listener = (changes: Partial<Machines> = {}): Machines => ({
  compute_type: 'process',
  compute_id: 'mac',
  compute_config: {},
  ...changes,
});
const cluster = (platforms: unknown, platform?: string) =>
  listener({ compute_type: 'k8s', compute_config: { platforms }, platform });

describe('what a listener runs', () => {
  it.each<[string, Machines, string[]]>([
    ['of which nothing is known', listener(), []],
    ['that says what it is', listener({ platform: 'darwin/arm64' }), ['darwin/arm64']],
    [
      'whose configuration says otherwise than the machine itself',
      listener({ platform: 'linux/arm64', compute_config: { platforms: ['linux/amd64'] } }),
      ['linux/arm64'],
    ],
    ['of a cluster', cluster(['linux/arm64', 'linux/amd64'], 'linux/amd64'), ['linux/arm64', 'linux/amd64']],
    ['of a cluster that is not configured', cluster(undefined, 'linux/arm64'), ['linux/arm64']],
    ['whose configuration is empty', cluster([]), []],
    ['whose configuration is no list', cluster('linux/arm64'), []],
    ['whose configuration is malformed', cluster(['$(id)', 3]), []],
  ])('one %s', (_, given, expected) => {
    expect(platformsOf(given)).toEqual(expected);
  });
});

describe('what was made for a platform', () => {
  const amd64 = listener({ platform: 'linux/amd64' });

  it.each<[string[] | undefined, Machines]>([
    [['linux/amd64'], amd64],
    [['linux/arm64', 'linux/amd64'], amd64],
    [undefined, amd64],
    [['linux/arm64'], listener()],
    [['linux/arm64/v8'], listener({ platform: 'linux/arm64' })],
    [['linux/arm64'], cluster(['linux/arm64/v8', 'linux/amd64'])],
  ])('%j fits, or is not known not to', (made, given) => {
    expect(misfit(made, given)).toBeUndefined();
  });

  it.each<[string[], Machines, RegExp]>([
    [['linux/arm64'], amd64, /made for linux\/arm64, but listener mac runs linux\/amd64\. .*repo_ref/],
    [['linux/arm64'], listener({ platform: 'darwin/arm64' }), /linux\/arm64, .* runs darwin\/arm64\./],
    [['linux/arm/v7'], listener({ platform: 'linux/arm/v6' }), /linux\/arm\/v7, .* linux\/arm\/v6\./],
  ])('%j is refused in words', (made, given, words) => {
    expect(misfit(made, given)).toMatch(words);
  });

  it('cannot be made where nothing builds for it', () => {
    expect(cannotBuild(listener({ platform: 'darwin/arm64' }), ['linux/amd64', 'linux/arm64'])).toMatch(
      /^Listener mac runs darwin\/arm64, .* builds for linux\/amd64 and linux\/arm64 only.* Deploy to a listener on linux/,
    );
  });
});

it.each([
  ['linux', 'x64', 'linux/amd64'],
  ['linux', 'arm64', 'linux/arm64'],
  ['darwin', 'arm64', 'darwin/arm64'],
  ['win32', 'ia32', 'windows/386'],
])('a machine of Node.js, %s %s, is %s', (platform, arch, expected) => {
  expect(platformOf({ platform, arch })).toBe(expected);
});
