import { describe, expect, it } from 'vitest';
import { completeRequest, statusRequest } from '../../../lib/contract/listener-protocol.ts';
import { changeListenerBody, createListenerBody } from '../../../lib/contract/listener-requests.ts';

const listener = { compute_type: 'k8s', compute_id: 'cluster' };

describe('the body of a new listener', () => {
  it('names each namespace and platform once, and keeps what is the client’s own', () => {
    const compute_config = {
      k8s_namespaces: ['b', 'a', 'b'],
      platforms: ['linux/arm64', 'linux/arm64', 'linux/arm/v7'],
      region: 'eu',
    };
    expect(createListenerBody.parse({ ...listener, compute_config }).compute_config).toEqual({
      k8s_namespaces: ['b', 'a'],
      platforms: ['linux/arm64', 'linux/arm/v7'],
      region: 'eu',
    });
  });

  it('has no namespaces where none are given', () => {
    for (const compute_config of [{}, { k8s_namespaces: null, platforms: null }])
      expect(createListenerBody.parse({ ...listener, compute_config }).compute_config).toEqual({
        k8s_namespaces: [],
      });
  });

  it.each(['amd64', 'windows/amd64', 'linux/amd64; rm', 'linux/arm/v77', 7])(
    'refuses the platform %j',
    (platform) => {
      const body = { ...listener, compute_config: { platforms: [platform] } };
      const { error } = createListenerBody.safeParse(body);
      expect(error?.issues.map(({ path }) => path)).toEqual([['compute_config', 'platforms', 0]]);
    },
  );
});

describe('the body of a change of a listener', () => {
  it('holds what is to be changed alone: namespaces that are not given stay away', () => {
    const body = { id: 'x', status: 'ONLINE', version: null, compute_config: { region: 'eu' } };
    expect(changeListenerBody.parse(body)).toEqual({ compute_config: { region: 'eu' } });
    expect(changeListenerBody.parse({})).toEqual({});
  });

  it('is judged as that of a new one', () => {
    const body = { compute_config: { k8s_namespaces: ['Not good'] }, is_default: 'yes' };
    const { error } = changeListenerBody.safeParse(body);
    expect(error?.issues.map(({ path }) => path)).toEqual([
      ['compute_config', 'k8s_namespaces', 0],
      ['is_default'],
    ]);
  });
});

describe('the address of an agent that a listener reports', () => {
  const id = '0190a000-0000-7000-8000-000000000001';
  const problemsOf = (url: unknown) => {
    const report = { deployment_id: id, epoch: 1, revision_id: id, healthy: true, url };
    const complete = completeRequest.safeParse({ lease_id: id, outcome: 'succeeded', url });
    const status = statusRequest.safeParse({ reports: [report] });
    return [complete, status].flatMap(({ error }) => error?.issues.map(({ path }) => path.join('.')) ?? []);
  };

  it.each([
    'http://localhost:4401/d/a',
    'https://agents.example/a',
    'HTTPS://agents.example',
    null,
    undefined,
  ])('may be %s', (url) => expect(problemsOf(url)).toEqual([]));

  it.each([
    'javascript:alert(1)//https://a.example',
    'data:text/html,x',
    'ftp://a.example',
    'a.example',
    '//a.example',
    ' https://a.example',
    'https://a.example\n',
    'https://',
    '',
  ])('is not %j', (url) => expect(problemsOf(url)).toEqual(['url', 'reports.0.url']));
});
