import { expect } from 'vitest';
import {
  defaultListenerKey,
  deploymentKey,
  deploymentRowKey,
  listenerKey,
  openTaskKey,
} from '../../../lib/store/keys/index.ts';
import { EXPIRES_AT } from '../../support/aws/mocked-registry.ts';
import type { MockedTable } from '../../support/table/mocked-table.ts';
import {
  aListener,
  ids,
  seedDeployment,
  seedDeploymentRow,
  seedInSlot,
  seedTask,
} from '../../support/table/stored-items.ts';
import type { Case } from './api-cases.ts';

const badLimit: Case['fails'][number] = [
  'a limit of none',
  422,
  [expect.objectContaining({ loc: ['query', 'limit'], type: 'greater_than_equal' })],
  { request: { query: { limit: '0' } } },
];

const inNamespace = { k8s_namespaces: ['one'], is_default: true };
const inUse = `Listener machine is used by 1 deployment, 'demo' (${ids.deployment}) among them; delete them first.`;

type Failure = Case['fails'][number];

/** So many that they are remembered. */
const unknownReports = Array.from({ length: 5 }, () => ({
  deployment_id: ids.unknown,
  epoch: 1,
  revision_id: null,
  healthy: false,
}));

/** One success and at least one failure of the operations on listeners, and of those that listeners ask for. */
export function listenerCases(table: MockedTable): Record<string, Case> {
  const deploymentGone: Failure = [
    'another deployment',
    404,
    `Deployment ID ${ids.deployment} not found.`,
    { given: () => table.forget(deploymentKey(ids.tenant, ids.deployment)) },
  ];
  const listenerGone: Failure = [
    'another listener',
    404,
    `Listener ID ${ids.listener} not found.`,
    { given: () => table.forget(listenerKey(ids.tenant, ids.listener)) },
  ];
  const taskGone: Failure = [
    'another task',
    404,
    `Task ID ${ids.task} not found.`,
    { given: () => table.forget(openTaskKey(ids.tenant, ids.listener, ids.task)) },
  ];
  const working = { phase: null, lease_id: ids.lease };
  const claimed = () => {
    seedInSlot(table, { status: 'DEPLOYING', task_id: ids.task }, { task_id: ids.task });
    seedTask(table);
  };
  const wrongLease: Failure = [
    'a lease that another has',
    409,
    `Task ${ids.task} is held under another lease; touch nothing.`,
    { given: () => seedTask(table, { lease_id: ids.unknown }) },
  ];

  return {
    createListener: {
      request: { body: { compute_type: 'process', compute_id: 'm', compute_config: { k8s_namespaces: [] } } },
      shows: { compute_id: 'm', status: 'NEVER_SEEN' },
      also: {
        given: () => {
          const item = { v: 1, entity: 'default_listener', tenant_id: ids.tenant, listener_id: ids.listener };
          table.seed(defaultListenerKey(ids.tenant), item);
        },
        request: { body: { compute_type: 'process', compute_id: 'm', compute_config: {}, is_default: true } },
      },
      fails: [
        [
          'a compute id that is taken',
          409,
          `Listener for workspace ID '${ids.tenant}' and compute ID 'm' already exists.`,
          { given: () => table.refuseOnce((write) => write.Put?.Item?.entity === 'compute_id') },
        ],
      ],
    },
    patchListener: {
      request: { body: { version: '2', is_default: true } },
      shows: { id: ids.listener, version: '2', is_default: true },
      also: {
        given: () => table.seed(listenerKey(ids.tenant, ids.listener), aListener(inNamespace)),
        request: { body: { compute_config: { k8s_namespaces: [] }, is_default: false } },
      },
      fails: [
        listenerGone,
        [
          'another compute id',
          400,
          "'compute_id' cannot be changed after creation.",
          { request: { body: { compute_id: 'other' } } },
        ],
        [
          'to take a namespace that is used',
          409,
          `Namespace 'one' of listener machine is used by deployment 'demo' (${ids.deployment}); delete it first.`,
          {
            given: () => {
              table.seed(listenerKey(ids.tenant, ids.listener), aListener(inNamespace));
              seedDeployment(table, { k8s_namespace: 'one' });
            },
            request: { body: { compute_config: { k8s_namespaces: ['two'] } } },
          },
        ],
      ],
    },
    deleteListener: {
      given: () => table.forget(deploymentRowKey(ids.tenant, ids.deployment)),
      fails: [
        listenerGone,
        ['one that is used', 409, inUse, { given: () => seedDeploymentRow(table) }],
        [
          'one that came into use meanwhile',
          409,
          inUse,
          { given: () => table.afterWrite(() => seedDeploymentRow(table)) },
        ],
      ],
    },
    createRegistryCredentials: {
      shows: { registry: 'registry.example', username: 'AWS', password: 'password', expires_at: EXPIRES_AT },
      fails: [listenerGone],
    },
    listListeners: {
      shows: { resources: [expect.objectContaining({ id: ids.listener })] },
      fails: [badLimit],
    },
    getListener: { shows: { id: ids.listener }, fails: [listenerGone] },
    claimTasks: {
      request: { body: { instance_id: 'i' } },
      shows: { tasks: [], cancelled: [], poll_after_seconds: 5 },
      fails: [
        listenerGone,
        [
          'too many at once',
          422,
          [expect.objectContaining({ loc: ['body', 'max'] })],
          { request: { body: { instance_id: 'i', max: 11 } } },
        ],
      ],
    },
    heartbeatTask: {
      request: { body: working },
      given: claimed,
      shows: { stop: false },
      fails: [taskGone, wrongLease],
    },
    completeTask: {
      request: { body: { lease_id: ids.lease, outcome: 'succeeded' } },
      given: claimed,
      shows: { accepted: true },
      fails: [taskGone, wrongLease],
    },
    shipTaskLogs: {
      request: { body: { lease_id: ids.lease, lines: [{ timestamp: 1, message: 'x' }] } },
      given: claimed,
      shows: { accepted: 1 },
      fails: [taskGone, wrongLease],
    },
    getDesired: {
      shows: { complete: true, deployments: [expect.objectContaining({ deployment_id: ids.deployment })] },
      fails: [listenerGone],
    },
    getSpec: {
      given: () =>
        seedInSlot(table, {
          status: 'DEPLOYING',
          artifact: { kind: 'folder', key: 'artifacts/a.tar', sha256: 'a', sizeBytes: 1 },
          task_id: ids.task,
        }),
      shows: {
        revision_id: ids.revision,
        artifact: { kind: 'folder', sha256: 'a', url: expect.stringMatching(/^https:\/\/bucket\.s3\./) },
      },
      fails: [deploymentGone],
    },
    reportStatus: {
      request: { body: { reports: unknownReports } },
      shows: { accepted: 0 },
      also: {
        given: () => table.forget(deploymentKey(ids.tenant, ids.deployment)),
        request: {
          body: {
            reports: [{ deployment_id: ids.deployment, epoch: 1, revision_id: null, healthy: false }],
          },
        },
      },
      fails: [['no reports', 422, [expect.objectContaining({ type: 'missing' })], { request: { body: {} } }]],
    },
    shipLogs: {
      request: {
        body: {
          batches: [
            {
              deployment_id: ids.deployment,
              revision_id: ids.revision,
              lines: [{ timestamp: 1, message: 'x' }],
            },
          ],
        },
      },
      shows: { accepted: 1 },
      fails: [['no batches', 422, [expect.objectContaining({ type: 'missing' })], { request: { body: {} } }]],
    },
  };
}
