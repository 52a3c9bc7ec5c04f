import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { failureOf, type Inquiry } from '../../../../lib/compute/kubernetes/reasons.ts';

const image = 'registry.example/agent:1';
const nothing: Inquiry = { lastWords: async () => [], eventsOf: async () => [] };

function pod(status: object, spec: object = {}): V1Pod {
  const container = {
    name: 'server',
    image,
    env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'vault', key: 'token' } } }],
    resources: { limits: { memory: '512Mi' }, requests: { cpu: '250m', memory: '256Mi' } },
  };
  // As the API server's JSON has it.
  return { metadata: { name: 'p' }, spec: { containers: [container], ...spec }, status };
}

const waiting = (reason: string, message: string, spec?: object): V1Pod =>
  pod(
    {
      phase: 'Pending',
      containerStatuses: [{ name: 'server', image, state: { waiting: { reason, message } } }],
    },
    spec,
  );

const of = (one: V1Pod, inquiry: Partial<Inquiry> = {}) =>
  failureOf([one], undefined, { ...nothing, ...inquiry });

/** A Deployment of which the cluster makes no pods. */
const refusing = (message: string): V1Deployment => ({
  status: { conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }] },
});

const quota = (requested: string, limited: string) =>
  `pods "a-1" is forbidden: exceeded quota: small, requested: ${requested}, used: pods=0, limited: ${limited}`;

/** As admission writes them. */
const REFUSALS: [what: string, message: string, failure: object][] = [
  [
    'Pod Security',
    'pods "a-1" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true (pod or container "server" must set securityContext.runAsNonRoot=true)',
    { kind: 'refused', by: 'pod_security', said: expect.stringMatching(/^violates PodSecurity "restricted/) },
  ],
  ['a quota that is used up', quota('cpu=250m,pods=1', 'cpu=1,pods=1'), { kind: 'quota', quota: 'small' }],
  ['a quota that is too small', quota('cpu=2,pods=1', 'cpu=1500m,pods=1'), { kind: 'refused', by: 'limit' }],
  [
    'a quota that wants a limit',
    'pods "a-1" is forbidden: failed quota: compute: must specify limits.cpu for: server',
    { kind: 'refused', by: 'limit' },
  ],
  [
    'a quota of this moment',
    'pods "a-1" is forbidden: status unknown for quota: compute, resources: pods',
    { kind: 'refused_for_now' },
  ],
  [
    'a LimitRange',
    'pods "a-1" is forbidden: [maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Pod is 1Gi, but limit is 2Gi]',
    { kind: 'refused', by: 'limit' },
  ],
  [
    'a missing ServiceAccount',
    'pods "a-1" is forbidden: error looking up service account agents/mine: serviceaccount "mine" not found',
    { kind: 'service_account_missing', name: 'mine' },
  ],
  [
    'a policy of the API server',
    `pods "a-1" is forbidden: ValidatingAdmissionPolicy 'images' with binding 'images' denied request: not from here`,
    { kind: 'refused', by: 'policy' },
  ],
  [
    'Kyverno',
    'admission webhook "validate.kyverno.svc-fail" denied the request: \n\nresource Pod/agents/a-1 was blocked due to the following policies\n\nrequire-limits: …',
    { kind: 'refused', by: 'policy' },
  ],
  [
    'OpenShift',
    'pods "a-1" is forbidden: unable to validate against any security context constraint: [provider "anyuid": Forbidden: not usable by user or serviceaccount]',
    { kind: 'refused', by: 'policy' },
  ],
  [
    'a webhook that is away',
    'Internal error occurred: failed calling webhook "validate.kyverno.svc-fail": failed to call webhook: Post "https://kyverno-svc.kyverno.svc:443/validate": dial tcp 10.0.0.1:443: connect: connection refused',
    { kind: 'refused_for_now' },
  ],
  ['something else', 'the object has been modified', { kind: 'refused_for_now' }],
];

describe('why servers are missing', () => {
  it.each(REFUSALS)('is a refusal: %s', async (_, message, failure) => {
    expect(await failureOf([], refusing(message), nothing)).toMatchObject(failure);
  });

  it.each([
    ['ErrImagePull', 'rpc error: manifest unknown: not found', 'image_missing'],
    ['ImagePullBackOff', 'Back-off pulling image: ErrImagePull: 401 Unauthorized', 'registry_access'],
    ['ErrImagePull', 'pull access denied, repository does not exist', 'registry_access'],
    ['ErrImagePull', 'no match for platform in manifest: not found', 'image_platform'],
    ['InvalidImageName', "couldn't parse image name", 'image_missing'],
  ])('%s with %j is %s', async (reason, message, kind) => {
    expect(await of(waiting(reason, message))).toMatchObject({ kind, image });
  });

  const LIMIT =
    'unexpected status from HEAD: 429 Too Many Requests - Server message: toomanyrequests: You have reached your unauthenticated pull rate limit';

  it('is a limit of the registry, which passes and names the pull secrets', async () => {
    const spec = { imagePullSecrets: [{ name: 'mine' }] };
    const found = await of(waiting('ErrImagePull', LIMIT, { containers: [], ...spec }));
    expect(found).toEqual({ kind: 'pull_limit', image, said: LIMIT, pullSecrets: ['mine'] });
  });

  it('is that limit too while the kubelet waits and only its events say so', async () => {
    const back = waiting('ImagePullBackOff', `Back-off pulling image "${image}"`);
    const eventsOf = async () => [`Failed to pull image "${image}": ${LIMIT}`, 'Error: ImagePullBackOff'];
    expect(await of(back, { eventsOf })).toMatchObject({ kind: 'pull_limit', image });
    const later = async () => [
      ...(await eventsOf()),
      `Failed to pull image "${image}": dial tcp: i/o timeout`,
    ];
    expect(await of(back, { eventsOf: later })).toBeUndefined();
  });

  it('is not known of a registry that does not answer', async () => {
    expect(await of(waiting('ErrImagePull', 'dial tcp: i/o timeout'))).toBeUndefined();
  });

  it('names the pull secrets that were of no use', async () => {
    const spec = { imagePullSecrets: [{ name: 'mine' }] };
    const found = await of(waiting('ErrImagePull', 'unauthorized', { containers: [], ...spec }));
    expect(found).toEqual({ kind: 'registry_access', image, pullSecrets: ['mine'] });
  });

  it.each(['secret "vault" not found', "couldn't find key token in Secret agents/vault"])(
    'names the variable of a secret that is missing: %s',
    async (message) => {
      expect(await of(waiting('CreateContainerConfigError', message))).toEqual({
        kind: 'secret_missing',
        variable: 'TOKEN',
        secret: 'vault',
        secretKey: 'token',
      });
    },
  );

  it('is a lack of room, in the words of the scheduler', async () => {
    const said = '0/3 nodes are available: 3 Insufficient memory.';
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: said };
    expect(await of(pod({ phase: 'Pending', conditions: [condition] }))).toEqual({
      kind: 'no_capacity',
      cpu: 0.25,
      memoryMb: 256,
      said,
    });
  });

  it('is memory, with the field that limits it', async () => {
    const lastState = { terminated: { reason: 'OOMKilled', exitCode: 137 } };
    const status = { phase: 'Running', containerStatuses: [{ name: 'server', lastState, restartCount: 1 }] };
    expect(await of(pod(status))).toEqual({
      kind: 'out_of_memory',
      limitField: 'memory_limit_mb',
      limitMb: 512,
    });
  });

  it('is an exit in a loop, with the last output, and not the first one', async () => {
    const ended = (restartCount: number) =>
      pod({
        phase: 'Running',
        containerStatuses: [
          { name: 'server', lastState: { terminated: { exitCode: 3 } }, state: {}, restartCount },
        ],
      });
    const lastWords = async () => ['boom'];
    expect(await of(ended(1), { lastWords })).toBeUndefined();
    expect(await of(ended(2), { lastWords })).toEqual({
      kind: 'exited',
      exitCode: 3,
      times: 2,
      output: ['boom'],
    });
  });

  it.each([
    [
      'Readiness probe failed: HTTP probe failed with statuscode: 500',
      { kind: 'ok_status', status: 500, path: '/ok' },
    ],
    [
      'Startup probe failed: Get "http://10.1.0.1:8000/ok": connection refused',
      { kind: 'ok_silent', port: 8000, path: '/ok' },
    ],
  ])('is what GET /ok answers: %s', async (message, failure) => {
    const running = pod({
      phase: 'Running',
      containerStatuses: [{ name: 'server', state: { running: {} } }],
    });
    expect(await of(running, { eventsOf: async () => ['Pulled', message] })).toEqual(failure);
  });

  it.each([
    [
      { httpGet: { path: '/ready', port: 8000 } },
      'HTTP probe failed with statuscode: 404',
      { kind: 'ok_status', status: 404, path: '/ready' },
    ],
    [
      { tcpSocket: { port: 8000 } },
      'dial tcp 10.1.0.1:8000: connect: connection refused',
      { kind: 'ok_silent', port: 8000, path: undefined },
    ],
  ])('is what the pod itself is asked: %o', async (startupProbe, said, failure) => {
    const running = pod({
      phase: 'Running',
      containerStatuses: [{ name: 'server', state: { running: {} } }],
    });
    running.spec = { containers: [{ name: 'server', startupProbe }] };
    expect(await of(running, { eventsOf: async () => [`Startup probe failed: ${said}`] })).toEqual(failure);
  });

  it('is a quota, where not even a pod could be made', async () => {
    const said = 'exceeded quota: small, requested: pods=1';
    expect(await failureOf([], refusing(`pods "a" is forbidden: ${said}`), nothing)).toEqual({
      kind: 'quota',
      quota: 'small',
      said,
    });
  });

  it('is what refuses more pods for good, before what the pods say that are there', async () => {
    const starting = waiting(
      'ErrImagePull',
      '429 Too Many Requests - Server message: toomanyrequests: limit',
    );
    expect(await failureOf([starting], refusing(quota('pods=1', 'pods=1')), nothing)).toMatchObject({
      kind: 'pull_limit',
    });
    expect(await failureOf([starting], refusing(quota('pods=2', 'pods=1')), nothing)).toMatchObject({
      kind: 'refused',
    });
  });

  it('is nothing while all is well', async () => {
    const conditions = [{ type: 'Ready', status: 'True' }];
    const status = { phase: 'Running', conditions, containerStatuses: [{ name: 'server', restartCount: 0 }] };
    expect(await of(pod(status))).toBeUndefined();
  });
});
