import { describe, expect, it } from 'vitest';
import { authenticateCaller } from '../../../lib/core/identity/authenticate.ts';
import { createConsoleLink } from '../../../lib/features/console/create-link.ts';
import { createConsoleSession } from '../../../lib/features/console/create-session.ts';
import { showMe } from '../../../lib/features/console/me.ts';
import { KEY_SECONDS } from '../../../lib/features/token-rules/exchange.ts';
import {
  ADDRESS,
  dropRule,
  exchange,
  exchangesOf,
  githubJob,
  gitlabJob,
  jobToken,
  makeRule,
  unexchanged,
  withCi,
} from '../../support/oauth/ci.ts';
import { anIssuer, aSigningKey } from '../../support/oauth/issuer.ts';
import { anOrganization, keys, makeTenant, withKey } from '../../support/world/identity-requests.ts';
import { refusedWith } from '../../support/world/requests.ts';
import { allItems, type World } from '../../support/world/world.ts';

const NOBODY = '401 Invalid or missing credentials';
const MISSING = `400 No rule takes tokens of this issuer for repository_id ${githubJob.repository_id}. An administrator of the tenant makes one with POST /v2/token-rules.`;
const unfit = (claims: string, more = '') =>
  `400 A rule is about this repository, but it does not take the token's ${claims}.${more}`;
const OF_PULL_REQUEST =
  ' Events of pull and merge requests and of child pipelines are taken only by a rule that names the event.';

const known = ({ deps }: Pick<World, 'deps'>, apiKey: string) =>
  authenticateCaller(deps, { apiKey, tenantId: undefined });

describe('a token of a job', () => {
  it('is exchanged for a key of an hour, of the rule’s tenant and role, that says whose it is', async () => {
    const { world, issuer, admin } = await withCi();
    const rule = await makeRule(admin, { ref: 'refs/heads/main' });
    const given = await exchange(world, await jobToken(issuer));
    expect(given).toEqual({
      access_token: expect.stringMatching(/^slp_/),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'N_A',
      expires_in: 3600,
      tenant_id: admin.caller.tenantId,
      role: 'developer',
      rule_id: rule.id,
    });
    expect(await known(world, given.access_token)).toMatchObject({
      tenantId: admin.caller.tenantId,
      userId: `${issuer.url}#repo:acme/agent:ref:refs/heads/main`,
      role: 'developer',
    });
    const credentials = { apiKey: given.access_token, tenantId: undefined };
    expect(await showMe(world.deps, credentials, { note: () => undefined })).toMatchObject({
      is_session: false,
      exchange: {
        rule_id: rule.id,
        issuer: issuer.url,
        repository: 'acme/agent',
        ref: 'refs/heads/main',
        run_id: '1234567890',
      },
    });
    const [listed] = (await keys(admin)).resources;
    expect(listed).toMatchObject({ name: 'CI of acme/agent', role: 'developer' });
    const [key] = (await allItems(world.deps.table)).filter(({ exchange: of }) => of !== undefined);
    expect(key).toMatchObject({
      ttl: expect.any(Number),
      audit: {
        action: 'api_key.exchange',
        key_id: 'bearer',
        details: { rule_id: rule.id, repository: 'acme/agent', run_id: '1234567890', role: 'developer' },
      },
    });
    world.advance(KEY_SECONDS + 1);
    expect(await refusedWith(known(world, given.access_token))).toBe(NOBODY);
  });

  it('counts once, also for two at once', async () => {
    const { world, issuer, admin } = await withCi();
    await makeRule(admin, {});
    const token = await jobToken(issuer);
    const both = await Promise.allSettled([exchange(world, token), exchange(world, token)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await refusedWith(exchange(world, token))).toBe(unexchanged("it was exchanged before ('jti')"));
    expect((await keys(admin)).resources.filter(({ name }) => name.startsWith('CI of'))).toHaveLength(1);
  });

  it('that nothing was given for counts later', async () => {
    const { world, issuer, admin } = await withCi();
    const token = await jobToken(issuer);
    expect(await refusedWith(exchange(world, token))).toBe(MISSING);
    await makeRule(admin, {});
    await exchange(world, token);
  });

  it('is refused when anything about it is wrong, in words that name the claim once it is signed', async () => {
    const { world, issuer, admin } = await withCi();
    await makeRule(admin, {});
    const seconds = Math.floor(world.deps.clock.now() / 1000);
    const audience = `it is not for this installation: its 'aud' has to be ${ADDRESS}`;
    const wrong: [Record<string, unknown>, string][] = [
      [{ aud: 'https://other.example' }, audience],
      [{ aud: `${ADDRESS}.evil.example` }, audience],
      [{ aud: undefined }, "it has no 'aud'"],
      [{ exp: seconds - 60 }, "it has expired ('exp')"],
      [{ exp: undefined }, "it has no 'exp'"],
      [{ nbf: seconds + 600 }, "its 'nbf' does not hold now"],
      [{ iat: seconds + 600 }, "its 'iat' does not hold now"],
      [{ iat: seconds - 2 * 86_400 }, "it is older than a day ('iat')"],
      [{ iat: undefined }, "it has no 'iat'"],
      [{ jti: undefined }, "it has no 'jti'"],
      [{ jti: '' }, "its 'jti' has not 1 to 255 characters"],
      [{ jti: 7 }, "its 'jti' has not 1 to 255 characters"],
      [{ sub: undefined }, "it has no 'sub'"],
      [{ sub: '' }, "its 'sub' has not 1 to 255 characters"],
      [{ iss: 'https://elsewhere.example' }, "this installation takes no tokens of its issuer ('iss')"],
      [{ iss: undefined }, 'it is no JWT'],
      [{ repository_id: undefined }, "it has no 'repository_id' and no 'project_id'"],
      [{ repository_id: 'acme/agent' }, "it has no 'repository_id' and no 'project_id'"],
    ];
    for (const [claims, reason] of wrong)
      expect([claims, await refusedWith(exchange(world, await jobToken(issuer, claims)))]).toEqual([
        claims,
        unexchanged(reason),
      ]);
    const forged = await issuer.token(
      's',
      { aud: 'x', jti: 'x' },
      await aSigningKey('ES256', issuer.key.kid),
    );
    expect(await refusedWith(exchange(world, forged))).toBe(
      unexchanged('it is not signed with a key of its issuer'),
    );
    expect(await refusedWith(exchange(world, 'no token'))).toBe(unexchanged('it is no JWT'));
    const slash = await jobToken(issuer, { aud: `${ADDRESS}/` });
    expect(await exchange(world, slash)).toMatchObject({ role: 'developer' });
  });

  it('is of another user than the same name of another issuer, but not of the one of bearer tokens', async () => {
    const { world, admin } = await withCi();
    const [own, other] = [await anIssuer(world.deps.clock.now), await anIssuer(world.deps.clock.now)];
    world.deps.tokenIssuers = exchangesOf([other.url], world.deps, own.url);
    expect(world.deps.tokenIssuers.issuers).toEqual([own.url, other.url]);
    await makeRule(admin, { issuer: own.url });
    await makeRule(admin, { issuer: other.url });
    const userOf = async (issuer: typeof own) =>
      (await known(world, (await exchange(world, await jobToken(issuer))).access_token)).userId;
    expect(await userOf(own)).toBe('repo:acme/agent:ref:refs/heads/main');
    expect(await userOf(other)).toBe(`${other.url}#repo:acme/agent:ref:refs/heads/main`);
  });

  it('is taken while another issuer does not answer', async () => {
    const { world, admin } = await withCi();
    const [dead, living] = [await anIssuer(world.deps.clock.now), await anIssuer(world.deps.clock.now)];
    world.deps.tokenIssuers = exchangesOf([dead.url, living.url], world.deps);
    let isAsked = () => undefined as void;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    // It takes the connection, and says nothing.
    dead.answer = () => {
      isAsked();
      return true;
    };
    await makeRule(admin, { issuer: dead.url });
    await makeRule(admin, { issuer: living.url });
    const waiting = refusedWith(exchange(world, await jobToken(dead)));
    await asked;
    expect(await exchange(world, await jobToken(living))).toMatchObject({ role: 'developer' });
    const unavailable = '503 The identity provider is not responding at the moment; try again.';
    expect(await waiting).toBe(unavailable);
    expect(await refusedWith(exchange(world, await jobToken(dead)))).toBe(unavailable);
    expect(dead.asked).toEqual({ '/.well-known/openid-configuration': 1 });
  });
});

describe('a rule', () => {
  it('takes the tokens of its issuer and number alone, and of what else it names', async () => {
    const { world, issuer, admin } = await withCi();
    await makeRule(admin, { ref: 'refs/heads/main', environment: 'production' });
    const asked = async (claims: Record<string, unknown>) =>
      refusedWith(exchange(world, await jobToken(issuer, { environment: 'production', ...claims })));
    expect(await asked({ repository_id: '1' })).toBe(MISSING.replace(githubJob.repository_id, '1'));
    expect(await asked({ ref: 'refs/heads/next' })).toBe(unfit("'ref' (refs/heads/next)"));
    expect(await asked({ ref: 'refs/tags/main', environment: undefined })).toBe(
      unfit("'ref' (refs/tags/main), 'environment', which it has not"),
    );
    await exchange(world, await jobToken(issuer, { environment: 'production' }));
  });

  it('takes no event of a pull request that it does not name', async () => {
    const { world, issuer, admin } = await withCi();
    await makeRule(admin, {});
    for (const event_name of ['pull_request', 'pull_request_target', 'pull_request_review'])
      expect(await refusedWith(exchange(world, await jobToken(issuer, { event_name })))).toBe(
        unfit(`'event_name' (${event_name})`, OF_PULL_REQUEST),
      );
    expect(await refusedWith(exchange(world, await jobToken(issuer, { event_name: undefined })))).toBe(
      unfit("'event_name', which it has not"),
    );
    await makeRule(admin, { event_name: 'pull_request_target', role: 'viewer' });
    const token = await jobToken(issuer, { event_name: 'pull_request_target' });
    expect(await exchange(world, token)).toMatchObject({ role: 'viewer' });
  });

  it('is of GitLab too: by the full ref, and by what began the pipeline', async () => {
    const { world, issuer, admin } = await withCi();
    await makeRule(admin, { repository_id: null, project_id: '42', ref: 'refs/heads/main' });
    const job = Object.fromEntries(Object.keys(githubJob).map((name) => [name, undefined]));
    const asked = async (claims: object) =>
      exchange(world, await jobToken(issuer, { ...job, ...gitlabJob, ...claims }));
    expect(await asked({})).toMatchObject({ role: 'developer' });
    expect(await asked({ project_id: 42 })).toMatchObject({ role: 'developer' });
    expect(await refusedWith(asked({ ref_path: 'refs/tags/main' }))).toBe(
      unfit("'ref_path' (refs/tags/main)"),
    );
    expect(await refusedWith(asked({ pipeline_source: 'merge_request_event' }))).toBe(
      unfit("'pipeline_source' (merge_request_event)", OF_PULL_REQUEST),
    );
    // What a merge request's pipeline begins in its turn does not say so.
    expect(await refusedWith(asked({ pipeline_source: 'parent_pipeline' }))).toBe(
      unfit("'pipeline_source' (parent_pipeline)", OF_PULL_REQUEST),
    );
  });

  it('gives nothing in another tenant, and where several take a token one has to be named', async () => {
    const { world, issuer, admin } = await withCi();
    const stranger = await anOrganization(world);
    await makeRule(admin, {});
    const named = async (tenant_id: string) => exchange(world, await jobToken(issuer), { tenant_id });
    expect(await refusedWith(named(stranger.caller.tenantId))).toBe(MISSING);
    expect(await refusedWith(named(world.deps.clock.randomId()))).toBe(MISSING);
    await makeRule(stranger, { role: 'viewer' });
    const token = await jobToken(issuer);
    expect(await refusedWith(exchange(world, token))).toBe(
      "400 Rules of several tenants are about this repository: name the tenant, as 'tenant_id' or in the X-Tenant-Id header.",
    );
    const { tenantId } = stranger.caller;
    expect(await exchange(world, token, {}, { tenantId })).toMatchObject({
      tenant_id: tenantId,
      role: 'viewer',
    });
    expect(await named(admin.caller.tenantId)).toMatchObject({ role: 'developer' });
    expect(await refusedWith(exchange(world, await jobToken(issuer), {}, { tenantId: 'T#x' }))).toBe(MISSING);
  });

  it('ends its keys with it, those opened with them too, and is gone from every list', async () => {
    const { world, issuer, admin } = await withCi();
    const rule = await makeRule(admin, {});
    const other = await makeRule(admin, { repository_id: '2' });
    const { access_token: key } = await exchange(world, await jobToken(issuer));
    const { access_token: kept } = await exchange(world, await jobToken(issuer, { repository_id: '2' }));
    const job = await withKey(world, key);
    const { url } = await createConsoleLink(world.deps, { baseUrl: ADDRESS }, job.caller);
    const body = { code: url.split('#code=')[1] ?? '' };
    const { api_key: session } = await createConsoleSession(world.deps, { body, requestId: 'r' });
    await known(world, session);
    const before = (await keys(admin)).resources.length;
    await dropRule(admin, rule.id);
    expect(await refusedWith(known(world, key))).toBe(NOBODY);
    expect(await refusedWith(known(world, session))).toBe(NOBODY);
    expect(await known(world, kept)).toMatchObject({ role: 'developer' });
    expect((await keys(admin)).resources.length).toBe(before - 1);
    expect(await refusedWith(exchange(world, await jobToken(issuer)))).toBe(MISSING);
    expect(await refusedWith(dropRule(admin, rule.id))).toBe(`404 Token rule ID ${rule.id} not found.`);
    await dropRule(admin, other.id);
  });

  it('that is deleted while a key is made leaves none that is good', async () => {
    const { world, issuer, admin } = await withCi();
    for (let n = 0; n < 10; n++) {
      const rule = await makeRule(admin, {});
      const token = await jobToken(issuer);
      const [made] = await Promise.allSettled([exchange(world, token), dropRule(admin, rule.id)]);
      if (made.status === 'fulfilled')
        expect(await refusedWith(known(world, made.value.access_token))).toBe(NOBODY);
      else expect(await refusedWith(Promise.reject(made.reason))).toBe(MISSING);
    }
  });

  it('cannot be deleted by another tenant of the organization', async () => {
    const { world, admin } = await withCi();
    const rule = await makeRule(admin, {});
    const { id: tenantId } = await makeTenant(admin, 'other');
    const other = world.as({ ...admin.caller, tenantId });
    expect(await refusedWith(dropRule(other, rule.id))).toBe(`404 Token rule ID ${rule.id} not found.`);
  });
});
