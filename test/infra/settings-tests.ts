import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../lib/contract/routes/index.ts';
import { configured, type Synthesised, synthesised } from '../support/aws/synthesised.ts';

const { oidcIssuer, oidcAudience } = configured;
const oidc = { oidcIssuer, oidcAudience };

/**
 * What settings change in the stacks. Part of the file that looks at those without: the second synthesis of a
 * process takes a third of the first.
 */
export function settingsTests(): void {
  let stacks: Synthesised;
  beforeAll(() => {
    stacks = synthesised(configured);
  });

  const guarded = new Set(
    routes.filter(({ permission }) => permission !== 'public').map((row) => row.handler),
  );

  /** Pages and settings that say to browsers where people sign in. */
  const signingIn = new Set(
    routes
      .filter(({ permission, variables }) => permission === 'public' && variables?.includes('OIDC_AUDIENCE'))
      .map((row) => row.handler),
  );

  type Environment = { Environment?: { Variables?: Record<string, unknown> } };

  const withIssuer = (made: Synthesised) =>
    made
      .all('AWS::Lambda::Function')
      .map(([, { Properties }]) => (Properties as Environment).Environment?.Variables ?? {})
      .filter(({ OIDC_AUDIENCE }) => OIDC_AUDIENCE !== undefined);

  describe('who asks', () => {
    it('is known by the configured issuer where a credential is asked for or people sign in, and nowhere else', () => {
      const told = withIssuer(stacks);
      expect(told).toHaveLength(guarded.size + signingIn.size);
      for (const variables of told)
        expect(variables).toMatchObject({ OIDC_ISSUER: oidcIssuer, OIDC_AUDIENCE: oidcAudience });
    });

    it.each([
      [{ oidcIssuer: 'https://id.example' }, /oidcIssuer and oidcAudience go together/],
      [{ oidcAudience: 'slipway' }, /oidcIssuer and oidcAudience go together/],
      [{ ...oidc, oidcIssuer: 'http://id.example' }, /oidcIssuer/],
    ])('is not known by half an issuer: %j', (context, reason) => {
      expect(() => synthesised(context)).toThrow(reason);
    });
  });

  describe('what endpoints say in their logs', () => {
    it('is handed on by one filter on the log that all of them share, to the one function that writes it down', () => {
      const following = stacks
        .all('AWS::Logs::SubscriptionFilter')
        .filter(([, { Properties }]) => String(Properties.FilterPattern).includes('key used'));
      expect(following).toHaveLength(1);
      const [[place, filter] = []] = following;
      expect(place).toMatch(/^root\//);
      expect(filter?.Properties).toMatchObject({
        LogGroupName: { Ref: expect.stringMatching(/^ApiLog/) },
        FilterPattern:
          '{ ($.message = "key used") || ($.message = "handed out") || ($.message = "refused") }',
      });
      const callers = stacks
        .all('AWS::Lambda::Permission')
        .filter(([id]) => id.startsWith('root/Notes'))
        .map(([, { Properties }]) => Properties);
      expect(callers).toEqual([expect.objectContaining({ Principal: 'logs.amazonaws.com' })]);
      expect(JSON.stringify(callers[0]?.SourceArn)).toMatch(/log-group:",{"Ref":"ApiLog\w+"},":\*"/);
      // CloudWatch refuses a subscription whose destination it may not call yet.
      expect(filter).toHaveProperty('DependsOn', [expect.stringMatching(/^NotesPermission/)]);
    });
  });

  describe('pages of other origins', () => {
    it('are answered by the gateway when the settings name their origin', () => {
      const apis = stacks.all('AWS::ApiGatewayV2::Api').filter(([id]) => !id.includes('Doorbell'));
      expect(apis[0]?.[1].Properties).toMatchObject({
        CorsConfiguration: {
          AllowOrigins: ['https://console.example', 'http://localhost:5173'],
          AllowMethods: expect.arrayContaining(['GET', 'POST', 'PATCH']),
          AllowHeaders: expect.arrayContaining(['X-Api-Key', 'X-Tenant-Id', 'Idempotency-Key', 'If-Match']),
          ExposeHeaders: [
            'ETag',
            'Idempotent-Replayed',
            'Retry-After',
            'X-Request-Id',
            'X-Slipway-Ignored',
            'X-Slipway-Version',
          ],
          MaxAge: 3600,
        },
      });
    });

    it('are not known by what is no origin', () => {
      expect(() => synthesised({ environment: 'test', corsOrigins: 'console.example' })).toThrow(
        /corsOrigins|an origin is/,
      );
    });
  });

  it('what is kept goes with its stack where that is asked for, and what its buckets hold', () => {
    expect(stacks.isDataProtected).toBe(false);
    const [[, table] = []] = stacks.all('AWS::DynamoDB::GlobalTable');
    expect(table?.Properties.Replicas).toEqual([
      expect.objectContaining({ DeletionProtectionEnabled: false }),
    ]);
    expect(stacks.all('Custom::S3AutoDeleteObjects')).toHaveLength(3);
    const policies = ['AWS::DynamoDB::GlobalTable', 'AWS::KMS::Key', 'AWS::S3::Bucket'].flatMap((type) =>
      stacks.all(type).map(([, { DeletionPolicy }]) => DeletionPolicy),
    );
    expect(new Set(policies)).toEqual(new Set(['Delete']));
  });

  it('what is there already is worked on, and not made', () => {
    const adopted = {
      tableName: 'older',
      tableStreamArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/older/stream/1',
      keyArn: 'arn:aws:kms:us-east-1:123456789012:key/1',
      bucketName: 'older-files',
    };
    const found = synthesised({ environment: 'test', ...adopted });
    expect([...found.all('AWS::DynamoDB::GlobalTable'), ...found.all('AWS::KMS::Key')]).toEqual([]);
    // Of access logs and of jobs.
    expect(found.all('AWS::S3::Bucket')).toHaveLength(2);
    const values = found
      .all('AWS::SSM::Parameter')
      .map(([, { Properties }]) => [String(Properties.Name).split('/').at(-1), Properties.Value]);
    expect(Object.fromEntries(values)).toMatchObject(adopted);
  });

  it('an address of one’s own is printed as it is asked, and known to the API', () => {
    const address = 'https://slipway.example.com';
    expect(stacks.outputs.ApiUrl?.Value).toBe(address);
    const told = stacks
      .all('AWS::Lambda::Function')
      .map(([, { Properties }]) => (Properties as Environment).Environment?.Variables ?? {})
      .filter(({ SLIPWAY_BASE_URL }) => SLIPWAY_BASE_URL === address);
    expect(told).toHaveLength(new Set(routes.map(({ handler }) => handler)).size);
  });

  it.each([
    [{ environment: 'Not Good' }, /environment/],
    [{ buildSeconds: '5' }, /buildSeconds/],
    [{ auditDays: '0' }, /auditDays/],
    [{ keyDays: '0' }, /keyDays/],
    [{ keptArtifacts: '0' }, /keptArtifacts/],
    [{ allowedHosts: 'https://git.corp.example' }, /allowedHosts/],
    [{ tableName: 'older' }, /tableName and tableStreamArn go together/],
    [{ keyArn: 'arn:aws:kms:us-east-1:123456789012:alias/older' }, /not of an alias/],
    [{ domainName: 'slipway.example.com' }, /domainName and certificateArn go together/],
  ])('a wrong context %j is refused by name', (context, reason) => {
    expect(() => synthesised(context)).toThrow(reason);
  });
}
