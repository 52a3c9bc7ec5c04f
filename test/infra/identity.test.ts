import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../lib/contract/routes.ts';
import { configured, type Synthesised, synthesised } from '../support/synthesised.ts';

const { corsOrigins: _, environment: __, ...oidc } = configured;

let stacks: Synthesised;
beforeAll(() => {
  stacks = synthesised(configured);
});

const guarded = new Set(routes.filter(({ permission }) => permission !== 'public').map((row) => row.handler));

type Environment = { Environment?: { Variables?: Record<string, unknown> } };

const withIssuer = (made: Synthesised) =>
  made
    .all('AWS::Lambda::Function')
    .map(([, { Properties }]) => (Properties as Environment).Environment?.Variables ?? {})
    .filter(({ OIDC_ISSUER }) => OIDC_ISSUER !== undefined);

describe('who asks', () => {
  it('is known by the configured issuer in every endpoint that asks for a credential, and nowhere else', () => {
    const told = withIssuer(stacks);
    expect(told).toHaveLength(guarded.size);
    for (const variables of told)
      expect(variables).toMatchObject({ OIDC_ISSUER: oidc.oidcIssuer, OIDC_AUDIENCE: 'slipway' });
  });

  it('is known by keys alone without one', () => {
    const other = synthesised({ environment: 'test' });
    expect(withIssuer(other)).toEqual([]);
  });

  it.each([
    [{ oidcIssuer: 'https://id.example' }, /oidcIssuer and oidcAudience go together/],
    [{ oidcAudience: 'slipway' }, /oidcIssuer and oidcAudience go together/],
    [{ ...oidc, oidcIssuer: 'http://id.example' }, /oidcIssuer/],
  ])('is not known by half an issuer: %j', (context, reason) => {
    expect(() => synthesised(context)).toThrow(reason);
  });
});

const AFTER = /"DependsOn":\[[^\]]*"KeyUsesPermission/;

describe('uses of keys', () => {
  it('are handed on from the log of every endpoint that asks for one, to the one function that writes them down', () => {
    const following = stacks
      .all('AWS::Logs::SubscriptionFilter')
      .filter(([, { Properties }]) => String(Properties.FilterPattern).includes('key used'));
    expect(following).toHaveLength(guarded.size);
    expect(following[0]?.[1].Properties.FilterPattern).toBe('{ $.message = "key used" }');
    const callers = stacks
      .all('AWS::Lambda::Permission')
      .filter(([id]) => id.startsWith('root/KeyUses'))
      .map(([, { Properties }]) => Properties);
    expect(callers).toEqual([expect.objectContaining({ Principal: 'logs.amazonaws.com' })]);
    expect(JSON.stringify(callers[0]?.SourceArn)).toContain('log-group:/slipway/test/*');
    const areas = stacks.all('AWS::CloudFormation::Stack');
    expect(areas.length).toBeGreaterThan(4);
    // CloudWatch refuses a subscription whose destination it may not call yet.
    for (const [id, area] of areas)
      expect([id, JSON.stringify(area)]).toEqual([id, expect.stringMatching(AFTER)]);
  });
});
