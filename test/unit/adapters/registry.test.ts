import {
  BatchGetImageCommand,
  CreateRepositoryCommand,
  DeleteRepositoryCommand,
  ECRClient,
  GetAuthorizationTokenCommand,
  ImageAlreadyExistsException,
  PutImageCommand,
  PutLifecyclePolicyCommand,
  RepositoryNotFoundException,
} from '@aws-sdk/client-ecr';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEcrImages } from '../../../lib/adapters/aws/images.ts';
import { createEcrLogins } from '../../../lib/adapters/aws/registry-logins.ts';

/** What the session is good until; the token of the registry claims more. */
const EXPIRES_AT = '2026-01-01T01:00:00.000Z';

/** A registry that gives everybody the login `AWS`, `password`. */
function mockRegistry() {
  const ecr = mockClient(ECRClient);
  const sts = mockClient(STSClient);
  const behave = (): void => {
    ecr.on(CreateRepositoryCommand).resolves({});
    ecr.on(PutLifecyclePolicyCommand).resolves({});
    ecr.on(GetAuthorizationTokenCommand).resolves({
      authorizationData: [
        {
          authorizationToken: Buffer.from('AWS:password').toString('base64'),
          expiresAt: new Date('2026-01-01T12:00:00.000Z'),
        },
      ],
    });
    sts.on(AssumeRoleCommand).resolves({
      Credentials: {
        AccessKeyId: 'session-id',
        SecretAccessKey: 'session-secret',
        SessionToken: 'session',
        Expiration: new Date(EXPIRES_AT),
      },
    });
  };
  behave();
  return {
    ecr,
    sts,
    reset(): void {
      ecr.reset();
      sts.reset();
      behave();
    },
  };
}

const registry = mockRegistry();
const { ecr, sts } = registry;
const owner = { tenantId: 't1', deploymentId: 'd1' };
const host = '123456789012.dkr.ecr.eu-west-1.amazonaws.com';
const options = {
  registryHost: host,
  pushRoleArn: 'arn:aws:iam::123456789012:role/push',
  pullRoleArn: 'arn:aws:iam::123456789012:role/pull',
};
const repositories = 'arn:aws:ecr:eu-west-1:123456789012:repository';

beforeAll(() => {
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'of-the-function');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterAll(() => vi.unstubAllEnvs());
beforeEach(() => registry.reset());

/** The session that was asked for: of which role, and what it may do where. */
function session() {
  const [call] = sts.commandCalls(AssumeRoleCommand);
  const { RoleArn, RoleSessionName, DurationSeconds, Policy } = call?.args[0].input ?? {};
  const { Statement } = JSON.parse(Policy ?? '{}') as {
    Statement: { Action: string | string[]; Resource: string }[]; // as the adapter writes it
  };
  return { RoleArn, RoleSessionName, DurationSeconds, Statement };
}

const WRITES = /Put|Upload|Delete|Create|\*/;

describe('a login that pushes', () => {
  it('is made with a session for the one repository, which is there then', async () => {
    expect(await createEcrLogins(options)?.pushLogin(owner)).toEqual({
      registryHost: host,
      username: 'AWS',
      password: 'password',
      expiresAt: EXPIRES_AT,
      repository: `${host}/slipway/t1/d1`,
    });
    expect(ecr.commandCalls(CreateRepositoryCommand)[0]?.args[0].input.repositoryName).toBe('slipway/t1/d1');
    const { Statement, ...rest } = session();
    expect(rest).toEqual({
      RoleArn: options.pushRoleArn,
      RoleSessionName: 'push-d1',
      DurationSeconds: 3600,
    });
    expect(Statement.map(({ Resource }) => Resource)).toEqual(['*', `${repositories}/slipway/t1/d1`]);
    expect(Statement[0]?.Action).toBe('ecr:GetAuthorizationToken');
  });
});

describe('a login that pulls', () => {
  it('is made with a session that reads the repositories of the tenant', async () => {
    expect(await createEcrLogins(options)?.pullLogin('t1')).toEqual({
      registryHost: host,
      username: 'AWS',
      password: 'password',
      expiresAt: EXPIRES_AT,
    });
    expect(ecr.commandCalls(CreateRepositoryCommand)).toHaveLength(0);
    const { Statement, ...rest } = session();
    expect(rest).toMatchObject({ RoleArn: options.pullRoleArn, RoleSessionName: 'pull-t1' });
    expect(Statement.map(({ Resource }) => Resource)).toEqual(['*', `${repositories}/slipway/t1/*`]);
    expect(Statement[1]?.Action).not.toEqual(expect.arrayContaining([expect.stringMatching(WRITES)]));
  });
});

describe('a login', () => {
  it('is asked for with the session, never with what the function itself may do', async () => {
    await createEcrLogins(options)?.pullLogin('t1');
    const [call] = ecr.commandCalls(GetAuthorizationTokenCommand);
    // The client that the command was sent with, as the mock keeps it.
    const client = call?.thisValue as { config: { credentials: () => Promise<object> } } | undefined;
    expect(await client?.config.credentials()).toMatchObject({
      accessKeyId: 'session-id',
      secretAccessKey: 'session-secret',
      sessionToken: 'session',
    });
  });

  it.each([
    ['STS gives no credentials', () => sts.on(AssumeRoleCommand).resolves({})],
    [
      'STS does not say until when',
      () =>
        sts
          .on(AssumeRoleCommand)
          .resolves({ Credentials: { AccessKeyId: 'a', SecretAccessKey: 'b', SessionToken: 'c' } as never }),
    ],
    ['ECR gives no token', () => ecr.on(GetAuthorizationTokenCommand).resolves({})],
    ['a role is not set', () => undefined],
  ])('fails when %s', async (what, given) => {
    given();
    const missing = what === 'a role is not set';
    const logins = createEcrLogins(missing ? { ...options, pullRoleArn: undefined } : options);
    await expect(logins?.pullLogin('t1')).rejects.toThrow();
  });

  it('is for nobody where there is no registry', () => {
    expect(createEcrLogins({ ...options, registryHost: undefined })).toBeUndefined();
  });
});

describe('holding an image', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const repository = `${host}/slipway/t1/d1`;
  const found = {
    images: [
      {
        imageId: { imageDigest: digest },
        imageManifest: '{"manifests":[]}',
        imageManifestMediaType: 'application/vnd.oci.image.index.v1+json',
      },
    ],
  };
  beforeEach(() => {
    ecr.on(BatchGetImageCommand).resolves(found);
    ecr.on(PutImageCommand).resolves({});
  });

  it.each([
    [`${repository}@${digest}`, { imageDigest: digest }],
    [`${repository}:latest@${digest}`, { imageDigest: digest }],
    [`${repository}:one`, { imageTag: 'one' }],
    [repository, { imageTag: 'latest' }],
  ])('gives %s the tag that its lifecycle keeps', async (uri, imageId) => {
    await createEcrImages(host).hold(owner, uri);
    const asked = ecr.commandCalls(BatchGetImageCommand)[0]?.args[0].input;
    expect(asked).toMatchObject({ repositoryName: 'slipway/t1/d1', imageIds: [imageId] });
    expect(asked?.acceptedMediaTypes).toContain('application/vnd.oci.image.index.v1+json');
    expect(ecr.commandCalls(PutImageCommand)[0]?.args[0].input).toEqual({
      repositoryName: 'slipway/t1/d1',
      imageManifest: '{"manifests":[]}',
      imageManifestMediaType: 'application/vnd.oci.image.index.v1+json',
      imageDigest: digest,
      imageTag: 'active',
    });
  });

  it.each([`docker.io/team/app@${digest}`, `${host}/slipway/t1/d2@${digest}`, `${host}/team/app:1`, 'app'])(
    'leaves %s alone',
    async (uri) => {
      await createEcrImages(host).hold(owner, uri);
      expect(ecr.calls()).toHaveLength(0);
    },
  );

  it('is done when the image has the tag already', async () => {
    ecr.on(PutImageCommand).rejects(new ImageAlreadyExistsException({ message: 'there', $metadata: {} }));
    await createEcrImages(host).hold(owner, `${repository}@${digest}`);
    expect(ecr.commandCalls(PutImageCommand)).toHaveLength(1);
  });

  it('fails when the image is not there, and throws what the registry says', async () => {
    ecr
      .on(BatchGetImageCommand)
      .resolvesOnce({ failures: [{ failureCode: 'ImageNotFound' }] })
      .resolves(found);
    const hold = () => createEcrImages(host).hold(owner, `${repository}@${digest}`);
    await expect(hold()).rejects.toThrow('is not in the registry: ImageNotFound');
    ecr.on(PutImageCommand).rejects(new Error('down'));
    await expect(hold()).rejects.toThrow('down');
  });
});

describe('the images of a deployment that is deleted', () => {
  it('go with its repository, if it has one', async () => {
    ecr
      .on(DeleteRepositoryCommand)
      .resolvesOnce({})
      .rejectsOnce(new RepositoryNotFoundException({ message: 'no', $metadata: {} }))
      .rejects(new Error('down'));
    const deleteAll = () => createEcrImages(host).deleteAll(owner);
    await deleteAll();
    await deleteAll();
    await expect(deleteAll()).rejects.toThrow('down');
    const asked = ecr.commandCalls(DeleteRepositoryCommand).map(({ args }) => args[0].input);
    expect(asked[0]).toEqual({ repositoryName: 'slipway/t1/d1', force: true });
  });
});
