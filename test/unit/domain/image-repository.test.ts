import { describe, expect, it } from 'vitest';
import { ownImage, repositoryOf } from '../../../lib/domain/image-repository.ts';
import { checkImagePlace } from '../../../lib/features/deployments/field-checks.ts';

const host = '123456789012.dkr.ecr.eu-west-1.amazonaws.com';
const digest = `sha256:${'a'.repeat(64)}`;

describe('an image in the registry of the installation', () => {
  it.each([
    [`${host}/slipway/t/d:1`, { repository: 'slipway/t/d', id: { imageTag: '1' } }],
    [`${host}/slipway/t/d`, { repository: 'slipway/t/d', id: { imageTag: 'latest' } }],
    [`${host}/slipway/t/d:1@${digest}`, { repository: 'slipway/t/d', id: { imageDigest: digest } }],
    [
      `${host.toUpperCase()}:443/slipway/t/d@${digest}`,
      { repository: 'slipway/t/d', id: { imageDigest: digest } },
    ],
    [`${host}/slipway/t/d/deeper:1`, { repository: 'slipway/t/d/deeper', id: { imageTag: '1' } }],
    [`${host}/slipway:1`, undefined],
    [`${host}/team/app:1`, undefined],
    [`example.com/slipway/t/d`, undefined],
    ['slipway/t/d', undefined],
  ])('%s is recognised', (uri, expected) => {
    expect(ownImage(host, uri)).toEqual(expected);
  });
});

const account = '123456789012';
const names = [
  `${account}.dkr.ecr.eu-west-1.amazonaws.com`,
  `${account}.dkr.ecr-fips.eu-west-1.amazonaws.com`,
  `${account}.dkr-ecr.eu-west-1.on.aws`,
  `${account}.dkr-ecr-fips.eu-west-1.on.aws`,
];
const spellings: ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => `${name}.`,
  (name) => `${name}:443`,
  (name) => `${name}:0443`,
  (name) => `${name}.:443`,
  (name) => `${name}:5000`,
];

describe('the registry of the installation', () => {
  it.each(names.flatMap((name) => spellings.map((spell) => spell(name))))('is %s', (name) => {
    expect(ownImage(host, `${name}/slipway/t/d:1`)?.repository).toBe('slipway/t/d');
    const check = (own: string) =>
      checkImagePlace({ registryHost: host }, { tenantId: 't', deploymentId: own }, `${name}/slipway/t/d:1`);
    expect(() => check('d')).not.toThrow();
    expect(() => check('e')).toThrow("'image_uri' is in this installation's registry");
  });

  it('has names of their own in China', () => {
    const chinese = `${account}.dkr.ecr.cn-north-1.amazonaws.com.cn`;
    for (const name of [chinese, `${account}.dkr-ecr.cn-north-1.on.amazonwebservices.com.cn`])
      expect(ownImage(chinese, `${name}/slipway/t/d`)?.repository).toBe('slipway/t/d');
  });

  it('may be one that is not of AWS', () => {
    expect(ownImage('localhost:4566', 'LOCALHOST:4566/slipway/t/d')?.repository).toBe('slipway/t/d');
    expect(ownImage('localhost:4566', 'other:4566/slipway/t/d')).toBeUndefined();
  });

  it.each([
    '210987654321.dkr.ecr.eu-west-1.amazonaws.com',
    `${account}.dkr.ecr.eu-west-2.amazonaws.com`,
    `${account}.dkr.ecr.eu-west-1.amazonaws.com.example`,
    `${account}.dkr.s3.eu-west-1.amazonaws.com`,
    'public.ecr.aws',
  ])('is not %s', (name) => {
    expect(ownImage(host, `${name}/slipway/t/d:1`)).toBeUndefined();
  });
});

describe('where an image of a deployment may lie', () => {
  const own = { tenantId: 't', deploymentId: 'd' };
  const settings = { registryHost: host };
  const at = (repository: string) => `${host}/${repository}:1`;

  it('is its own repository, or anywhere else than in those of other deployments', () => {
    for (const uri of [at(repositoryOf(own)), at('team/app'), 'example.com/slipway/t/e:1', undefined])
      expect(() => checkImagePlace(settings, own, uri)).not.toThrow();
    const elsewhere = { registryHost: undefined };
    expect(() => checkImagePlace(elsewhere, own, at('slipway/t/e'))).not.toThrow();
  });

  it.each(['slipway/t/e', 'slipway/u/d', 'slipway/t/d/deeper'])('is not %s', (repository) => {
    expect(() => checkImagePlace(settings, own, at(repository))).toThrow(
      "Source configuration error: 'image_uri' is in this installation's registry, but not in this deployment's own repository; push the image to slipway/t/d with a push token of this deployment.",
    );
  });

  it('is not that registry before there is a deployment', () => {
    expect(() => checkImagePlace(settings, undefined, at('slipway/t/d'))).toThrow(
      "create it with source 'internal_docker', push the image with its push token",
    );
  });
});
