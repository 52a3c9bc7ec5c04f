import type { V1Deployment, V1Pod, V1StatefulSet, V1StatefulSetStatus } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { labels } from '../../../../lib/compute/kubernetes/render/names.ts';
import {
  type StoreInquiry,
  storeFailureOf,
  withStores,
} from '../../../../lib/compute/kubernetes/store-troubles.ts';
import type { AgentFailure } from '../../../../lib/domain/agent-failure.ts';

const nothing: StoreInquiry = {
  lastWords: async () => [],
  eventsOf: async () => [],
  eventsOfClaim: async () => [],
};
const of = (component: string) => ({ name: `a-${component}`, labels: { [labels.component]: component } });

const postgresWith = (status: V1StatefulSetStatus): V1StatefulSet => ({ metadata: of('postgres'), status });
const postgres = postgresWith({ replicas: 1 });
const redis = (message?: string): V1Deployment => ({
  metadata: of('redis'),
  status: {
    ...(message !== undefined && {
      conditions: [{ type: 'ReplicaFailure', status: 'True', message }],
    }),
  },
});
const pod = (status: V1Pod['status']): V1Pod => ({
  metadata: of('postgres'),
  spec: {
    containers: [],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-a-db-0' } }],
  },
  ...(status !== undefined && { status }),
});
const unplaced = (message: string): V1Pod =>
  pod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }] });
const waiting = (reason: string, message: string): V1Pod =>
  pod({
    containerStatuses: [
      {
        name: 'postgres',
        image: 'i',
        imageID: '',
        ready: false,
        restartCount: 0,
        state: { waiting: { reason, message } },
      },
    ],
  });

const pending = 'no persistent volumes available for this claim and no storage class is set';

const TROUBLES: [what: string, pods: V1Pod[], inquiry: Partial<StoreInquiry>, said: string | undefined][] = [
  ['nothing yet', [pod({ phase: 'Pending' })], {}, undefined],
  [
    'an image that is not handed out',
    [waiting('ImagePullBackOff', 'Back-off pulling image')],
    { eventsOf: async () => ['Failed to pull image "i": toomanyrequests: limit', 'Error: ErrImagePull'] },
    'Failed to pull image "i": toomanyrequests: limit',
  ],
  [
    'no room',
    [unplaced('0/3 nodes are available: 3 Insufficient memory.')],
    {},
    '0/3 nodes are available: 3 Insufficient memory.',
  ],
  [
    'a claim without a StorageClass',
    [unplaced('0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.')],
    {
      eventsOfClaim: async (_, name) =>
        name === 'data-a-db-0' ? ['waiting for first consumer to be created before binding', pending] : [],
    },
    `its volume's claim 'data-a-db-0' is pending: ${pending}`,
  ],
  [
    'a volume in another zone',
    [unplaced('0/3 nodes are available: 3 node(s) had volume node affinity conflict.')],
    {},
    '0/3 nodes are available: 3 node(s) had volume node affinity conflict.',
  ],
  [
    'a pod that is refused',
    [],
    {
      eventsOf: async () => [
        'create Claim data-a-db-0 success',
        'create Pod a-db-0 in StatefulSet a-db failed error: pods "a-db-0" is forbidden: violates PodSecurity "restricted:latest": x',
      ],
    },
    'pods "a-db-0" is forbidden: violates PodSecurity "restricted:latest": x',
  ],
  [
    'an end in a loop',
    [
      pod({
        containerStatuses: [
          {
            name: 'postgres',
            image: 'i',
            imageID: '',
            ready: false,
            restartCount: 2,
            lastState: { terminated: { exitCode: 1, reason: 'Error' } },
          },
        ],
      }),
    ],
    { lastWords: async () => ['starting', 'FATAL: could not write lock file'] },
    'it ends again and again, last with Error 1: FATAL: could not write lock file',
  ],
];

describe('our own stores', () => {
  it.each(TROUBLES)('say why they serve nobody: %s', async (_, pods, inquiry, said) => {
    expect(await storeFailureOf([postgres], pods, { ...nothing, ...inquiry })).toEqual({
      kind: 'store_down',
      store: 'Postgres',
      said,
    });
  });

  it('say so of a Deployment too, which notes it on itself', async () => {
    const ready = postgresWith({ replicas: 1, readyReplicas: 1 });
    const forbidden = redis('pods "a-redis-1" is forbidden: maximum cpu usage per Pod is 1, but limit is 2');
    expect(await storeFailureOf([ready, forbidden], [], nothing)).toEqual({
      kind: 'store_down',
      store: 'Redis',
      said: 'maximum cpu usage per Pod is 1, but limit is 2',
    });
    expect(await storeFailureOf([ready], [], nothing)).toBeUndefined();
    expect(await storeFailureOf([], [], nothing)).toBeUndefined();
  });
});

describe('why servers are missing that need them', () => {
  const down = { kind: 'store_down', store: 'Redis', said: 'no room' } as const;
  const exited: AgentFailure = { kind: 'exited', exitCode: 1, times: 3, output: [] };
  const missing = { kind: 'image_missing', image: 'i' } as const;

  it('is the store, unless they could not run with it either', () => {
    expect(withStores(undefined, down)).toBe(down);
    expect(withStores(exited, down)).toBe(down);
    expect(withStores(missing, down)).toBe(missing);
    expect(withStores(exited, undefined)).toBe(exited);
  });

  it('is nothing to be said of while a store is only being started, and servers that end wait for it', () => {
    const starting = { ...down, said: undefined };
    expect(withStores(undefined, starting)).toBeUndefined();
    expect(withStores(exited, starting)).toBe(starting);
  });
});
