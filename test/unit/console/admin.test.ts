import { describe, expect, it } from 'vitest';
import { actionWord, auditActions, detailsOf, instantOf, localTime } from '../../../console/logic/audit.ts';
import { expiryOf, firstExpiry, wordsOfEnd } from '../../../console/logic/expiry.ts';
import { branchOf, gitHosts, pushAddress } from '../../../console/logic/integration.ts';
import {
  capacityOf,
  computeChoices,
  isBuiltIn,
  isOfCluster,
  kindOf,
  meaningOf,
  platformsOf,
  podSecurityChoices,
  podSecurityOf,
  startCommand,
  wordsIn,
} from '../../../console/logic/listener.ts';
import { places, placesFor } from '../../../console/logic/places.ts';
import { bodyOf, changesOf, valuesOf } from '../../../console/logic/provider.ts';
import { keyRolesFor, memberRolesFor, roleWords } from '../../../console/logic/roles.ts';
import { lookOf } from '../../../console/logic/status.ts';
import {
  deliveredWords,
  eventTypes,
  formats,
  lastDelivered,
  webhookLook,
} from '../../../console/logic/webhook.ts';
import type { Listener } from '../../../lib/client/endpoints.ts';
import {
  computeKinds,
  computeTypes,
  managedComputeTypes,
  registeredComputeTypes,
} from '../../../lib/compute/kinds.ts';
import { auditActions as contractActions } from '../../../lib/contract/audit.ts';
import { publishedEvent } from '../../../lib/contract/events.ts';
import { integrationTypes } from '../../../lib/contract/integration-types.ts';
import { exampleOf } from '../../../lib/contract/openapi/examples/index.ts';
import { podSecurityProfiles } from '../../../lib/contract/pod-security.ts';
import { lackedToGive, memberRoles, roleMatrix, roles, rolesNotAbove } from '../../../lib/contract/roles.ts';
import { listenerStatuses } from '../../../lib/features/listeners/shape.ts';
import { getProvider } from '../../../lib/features/oauth-providers/routes.ts';
import {
  createProviderBody,
  providerView,
  userBindings,
} from '../../../lib/features/oauth-providers/shape.ts';
import { deliveryResults, deliveryView, webhookFormats } from '../../../lib/features/webhooks/shape.ts';

describe('what a role is offered', () => {
  it('is what it may see, and nothing to a listener', () => {
    const offered = (role: (typeof roles)[number]) => placesFor(roleMatrix[role]).map(({ title }) => title);
    expect(offered('viewer')).toEqual([
      'Overview',
      'Deployments',
      'Activity',
      'Topology',
      'Listeners',
      'Integrations',
    ]);
    expect(offered('developer')).toEqual(offered('viewer'));
    expect(offered('admin')).toEqual(places.map(({ title }) => title));
    expect(offered('listener')).toEqual([]);
  });

  it('are the roles that it can give, as the API has it', () => {
    for (const own of memberRoles) {
      expect(keyRolesFor(own).toSorted()).toEqual(
        roles.filter((role) => lackedToGive(own, role) === undefined).toSorted(),
      );
      expect(memberRolesFor(own).toSorted()).toEqual(
        memberRoles.filter((role) => rolesNotAbove(own).includes(role)).toSorted(),
      );
    }
    expect(Object.keys(roleWords).toSorted()).toEqual(roles.toSorted());
  });
});

describe('a listener', () => {
  it('says how full the balancer of all agents is, where it has one', () => {
    const capacity = {
      target_groups: { in_use: 41, quota: 100 },
      rules: { in_use: 82, quota: 100 },
      counted_at: '2026-11-26T00:00:00.000Z',
    };
    expect(capacityOf({ capacity })).toBe(
      '41 of 100 target groups and 82 of 100 rules in use, by all tenants',
    );
    expect(capacityOf({ capacity: null })).toBeNull();
  });

  const of = (config: object): Pick<Listener, 'id' | 'compute_type' | 'compute_config'> => ({
    id: 'the-id',
    compute_type: 'k8s',
    compute_config: { k8s_namespaces: ['agents', 'tools'], ...config },
  });

  it('is started by a command that names it, with its key in a variable', () => {
    const here = startCommand({ ...of({}), compute_type: 'process' }, 'https://a.example/api');
    expect(here).toContain('--url https://a.example/api');
    expect(here).toContain('--listener-id the-id');
    expect(here).toContain('SLIPWAY_API_KEY=$LISTENER_KEY');
    const there = startCommand(of({}), 'https://a.example');
    expect(there).toContain("namespaces='{agents,tools}'");
    expect(there).toContain('listenerId=the-id');
    expect(there).toContain('label namespace agents tools pod-security.kubernetes.io/enforce=privileged');
    const strict = startCommand(of({ pod_security: 'restricted' }), 'https://a.example');
    expect(strict).toContain('pod-security.kubernetes.io/enforce=restricted');
  });

  it('is of a type that has a word of its own, and of those that can be registered each can be chosen', () => {
    for (const compute_type of computeTypes) expect(kindOf({ compute_type })).not.toBe(compute_type);
    expect(computeChoices.map(([type]) => type).toSorted()).toEqual(registeredComputeTypes.toSorted());
    expect(computeTypes.filter((compute_type) => isBuiltIn({ compute_type }))).toEqual(managedComputeTypes);
    const ofCluster = computeTypes.filter((compute_type) => isOfCluster({ compute_type }));
    expect(ofCluster).toEqual(computeTypes.filter((type) => computeKinds[type].isCluster));
  });

  it('has one of the profiles of pod security, privileged where it names none', () => {
    expect(podSecurityChoices.map(([profile]) => profile)).toEqual(podSecurityProfiles);
    for (const pod_security of podSecurityProfiles)
      expect(podSecurityOf(of({ pod_security }))).toBe(pod_security);
    for (const config of [{}, { pod_security: 'mine' }]) expect(podSecurityOf(of(config))).toBe('privileged');
  });

  it('has the platforms of its configuration, and a look and a meaning for each status', () => {
    expect(platformsOf(of({ platforms: ['linux/arm64'] }))).toEqual(['linux/arm64']);
    expect(platformsOf(of({}))).toEqual([]);
    for (const status of listenerStatuses) {
      expect(lookOf(status).word).not.toContain('_');
      expect(meaningOf({ compute_type: 'k8s', status })).toMatch(/\.$/);
    }
    expect(meaningOf({ compute_type: 'ecs', status: 'ONLINE' })).toContain('a part of this installation');
    expect(kindOf({ compute_type: 'ecs' })).toBe('Fargate');
    expect(wordsIn(' linux/amd64,  linux/arm64\nx ')).toEqual(['linux/amd64', 'linux/arm64', 'x']);
    expect(wordsIn(' ')).toEqual([]);
  });
});

describe('webhooks', () => {
  it('fail while they are enabled and their receiver takes nothing', () => {
    const words = (['ENABLED', 'DISABLED'] as const).map((status) =>
      [undefined, 'It answered 500.'].map((effect) => webhookLook({ status }, effect).word),
    );
    expect(words).toEqual([
      ['Enabled', 'Failing'],
      ['Disabled', 'Disabled'],
    ]);
  });

  it('are offered every event and format that there is', () => {
    const types = publishedEvent.options.flatMap(({ shape: { type } }) => type.options as string[]);
    expect(eventTypes.toSorted()).toEqual(types.toSorted());
    expect(formats.map(([format]) => format)).toEqual(webhookFormats);
    for (const result of deliveryResults) expect(lookOf(result).tone).not.toBe('unsure');
  });

  it('say in few words what they deliver', () => {
    expect(deliveredWords({ event_types: null, deployment_ids: null })).toBe('All events');
    expect(deliveredWords({ event_types: ['listener.offline'], deployment_ids: null })).toBe(
      'listener.offline',
    );
    expect(deliveredWords({ event_types: ['a', 'b'], deployment_ids: ['x', 'y'] })).toBe(
      '2 kinds of events of 2 deployments',
    );
  });

  it('go on after the newest event that has arrived', () => {
    const { response } = exampleOf('testWebhook');
    const delivery = deliveryView.parse(response);
    const of = (event_number: number | null, result: typeof delivery.result) => ({
      ...delivery,
      event_number,
      result,
    });
    expect(
      lastDelivered([of(9, 'FAILED'), of(4, 'DELIVERED'), of(7, 'DELIVERED'), of(null, 'DELIVERED')]),
    ).toBe(7);
    expect(lastDelivered([of(9, 'FAILED')])).toBeUndefined();
  });
});

describe('integrations', () => {
  it('are of every host that there is, and each has an address for pushes', () => {
    expect(gitHosts.map(([type]) => type)).toEqual(integrationTypes);
    expect(pushAddress({ type: 'gitea', id: 'x' }, 'https://a.example')).toBe(
      'https://a.example/v1/integrations/gitea/x/webhook',
    );
    expect([branchOf('refs/heads/feature/x'), branchOf('refs/tags/v1'), branchOf(null)]).toEqual([
      'feature/x',
      'v1',
      null,
    ]);
  });
});

describe('an OAuth provider', () => {
  const stored = providerView.parse(exampleOf('getProvider').response);

  it('is created with what the API takes', () => {
    const values = { ...valuesOf(), id: 'calendar', name: 'Calendar', clientId: 'x', secret: 'y' };
    const urls = { authUrl: 'https://a.example/authorize', tokenUrl: 'https://a.example/token' };
    const body = bodyOf({ ...values, ...urls, redirects: 'https://b.example/one\nhttps://b.example/two' });
    expect(createProviderBody.parse(body)).toMatchObject({
      provider_id: 'calendar',
      client_secret: 'y',
      allowed_redirect_uris: ['https://b.example/one', 'https://b.example/two'],
    });
    expect(valuesOf().binding).toBe(userBindings[0]);
  });

  it('is changed in what differs alone, and its secret only by a new one', () => {
    const before = getProvider.response.parse(stored);
    expect(changesOf(before, valuesOf(before))).toEqual({});
    expect(changesOf(before, { ...valuesOf(before), name: 'Other' })).toEqual({ name: 'Other' });
    expect(Object.keys(changesOf(before, { ...valuesOf(before), secret: 'new' }))).toEqual(
      before.token_endpoint_auth_method === 'none' ? [] : ['client_secret'],
    );
  });
});

describe('the audit', () => {
  it('offers every action that there is', () => {
    expect(auditActions.flatMap(({ actions }) => actions).toSorted()).toEqual(contractActions.toSorted());
    expect(auditActions.map(({ kind }) => kind)).toContain('OAuth provider');
    expect(actionWord('revision.redeploy')).toBe('Revision deployed again');
    for (const action of contractActions) expect(actionWord(action)).not.toMatch(/[_.]|^[a-z]/);
  });

  it('says the reason first, and how often', () => {
    expect(detailsOf({ details: { reason: 'because', role: 'admin' }, count: 1 })).toEqual([
      'because',
      'Administrator',
    ]);
    expect(detailsOf({ details: { status: 401 }, count: 12 })).toEqual(['refused with 401', '12 times']);
    expect(detailsOf({ details: {}, count: 1 })).toEqual([]);
  });

  it('is asked for an instant that a field of local time shows', () => {
    const at = '2026-11-21T11:29:00.000Z';
    expect(instantOf(localTime(at))).toBe(at);
    expect([localTime('nonsense'), localTime(''), instantOf('')]).toEqual(['', '', '']);
  });
});

it('a key ends when it was said', () => {
  expect(expiryOf('30', 300_000)).toBe('1970-01-31T00:00:00.000Z');
  expect(expiryOf('longest', 0)).toBeUndefined();
  expect([wordsOfEnd(null), wordsOfEnd('2026-11-21T11:29:00.000Z')]).toEqual([
    'It works until it is revoked.',
    expect.stringContaining('2026'),
  ]);
});

it('a key is made for as long as it may be good, unless that were without end', () => {
  const key = { key_id: 'k', is_session: false, expires_at: null };
  expect(firstExpiry(key, false)).toBe('90');
  expect(firstExpiry(key, true)).toBe('longest');
  expect(firstExpiry({ ...key, expires_at: '2026-11-21T11:29:00.000Z' }, false)).toBe('longest');
  expect(firstExpiry({ ...key, is_session: true }, false)).toBe('longest');
  expect(firstExpiry({ ...key, key_id: null }, false)).toBe('longest');
});
