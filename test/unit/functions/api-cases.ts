import { expect } from 'vitest';
import {
  defaultListenerKey,
  deploymentKey,
  deploymentRowKey,
  hostKey,
  listenerKey,
  openTaskKey,
  revisionKey,
} from '../../../lib/store/keys.ts';
import type { EventParts } from '../../support/event.ts';
import { EXPIRES_AT, mockRegistry } from '../../support/mocked-registry.ts';
import { mockTable } from '../../support/mocked-table.ts';
import {
  aListener,
  ids,
  seedDeployment,
  seedDeploymentRow,
  seedInSlot,
  seedRevision,
  seedTask,
} from '../../support/stored-items.ts';
import { identityCases } from './identity-cases.ts';
import { integrationCases } from './integration-cases.ts';

/** What every handler reads and writes here. */
export const table = mockTable();

const SOURCE = {
  source_config: { repo_url: 'https://git.example/team/app.git' },
  source_revision_config: {},
};

export type Case = {
  request?: EventParts;
  /** What else is stored when it succeeds. */
  given?: () => void;
  shows?: object;
  /** Another request that succeeds, in another way. */
  also?: { given: () => void; request: EventParts };
  /** What goes wrong, with the answer to it. */
  fails: [
    what: string,
    status: number,
    detail: unknown,
    when: { given?: () => void; request?: EventParts },
  ][];
};

const noDeployment = { given: () => table.forget(deploymentKey(ids.tenant, ids.deployment)) };
const noRevision = { given: () => table.forget(revisionKey(ids.tenant, ids.deployment, 1)) };
const noListener = { given: () => table.forget(listenerKey(ids.tenant, ids.listener)) };
const deploymentGone: Case['fails'][number] = [
  'another deployment',
  404,
  `Deployment ID ${ids.deployment} not found.`,
  noDeployment,
];
const revisionGone: Case['fails'][number] = [
  'another revision',
  404,
  `Revision ID ${ids.revision} not found.`,
  noRevision,
];
const listenerGone: Case['fails'][number] = [
  'another listener',
  404,
  `Listener ID ${ids.listener} not found.`,
  noListener,
];
const taskGone: Case['fails'][number] = [
  'another task',
  404,
  `Task ID ${ids.task} not found.`,
  { given: () => table.forget(openTaskKey(ids.tenant, ids.listener, ids.task)) },
];
const badLimit: Case['fails'][number] = [
  'a limit of none',
  422,
  [expect.objectContaining({ loc: ['query', 'limit'], type: 'greater_than_equal' })],
  { request: { query: { limit: '0' } } },
];

const working = { phase: null, lease_id: ids.lease };
const claimed = () => {
  seedInSlot(table, { status: 'DEPLOYING', task_id: ids.task }, { task_id: ids.task });
  seedTask(table);
};
const wrongLease: Case['fails'][number] = [
  'a lease that another has',
  409,
  `Task ${ids.task} is held under another lease; touch nothing.`,
  { given: () => seedTask(table, { lease_id: ids.unknown }) },
];

const logCase: Case = { request: { body: {} }, shows: { logs: [] }, fails: [revisionGone] };

const interruptCase: Case = {
  shows: { id: ids.revision },
  fails: [
    revisionGone,
    [
      'a finished one',
      409,
      `Revision ${ids.revision} has finished already: DEPLOYED.`,
      { given: () => seedRevision(table, { status: 'DEPLOYED' }) },
    ],
  ],
};

mockRegistry();
const pushed = { source: 'internal_docker', revision_source: 'internal_docker' } as const;
const inNamespace = { k8s_namespaces: ['one'], is_default: true };
const inUse = `Listener machine is used by 1 deployment, 'demo' (${ids.deployment}) among them; delete them first.`;
const withoutAddress = { source_config: { custom_url: '' } };
const seedOwnAddress = (): void => {
  seedDeployment(table, { config: { ...SOURCE.source_config, custom_url: 'https://agent.example' } });
  const claim = { v: 1, entity: 'host_claim', tenant_id: ids.tenant, deployment_id: ids.deployment };
  table.seed(hostKey(ids.tenant, ids.listener, 'agent.example'), claim);
};

/** One success and at least one failure of every operation that needs a key. */
export const cases: Record<string, Case> = {
  ...identityCases(table),
  ...integrationCases(table),
  createDeployment: {
    request: { body: { name: 'new', ...SOURCE } },
    shows: { name: 'new', latest_revision_id: expect.any(String), source: 'github' },
    fails: [
      [
        'a name that is taken',
        409,
        "Deployment with name 'new' already exists.",
        { given: () => table.refuseOnce((write) => write.Put?.Item?.entity === 'name') },
      ],
      [
        'a listener that went away meanwhile',
        404,
        `Listener ID ${ids.listener} not found.`,
        { given: () => table.refuseOnce((write) => write.ConditionCheck !== undefined) },
      ],
      [
        'a bad name',
        422,
        [expect.objectContaining({ loc: ['body', 'name'], type: 'string_pattern_mismatch' })],
        { request: { body: { name: 'Not good', ...SOURCE } } },
      ],
      ['no JSON', 400, expect.stringContaining('Request body is not valid JSON'), { request: { body: '{' } }],
    ],
  },
  listDeployments: {
    shows: { resources: [expect.objectContaining({ id: ids.deployment })] },
    fails: [badLimit],
  },
  getDeployment: { shows: { id: ids.deployment, status: 'UNUSED' }, fails: [deploymentGone] },
  patchDeployment: {
    request: { body: { source_revision_config: { repo_ref: 'next' } } },
    shows: { id: ids.deployment },
    also: { given: seedOwnAddress, request: { body: withoutAddress } },
    fails: [
      deploymentGone,
      [
        'another version',
        412,
        'If-Match names version "7", but the current version is "1".',
        { request: { headers: { 'if-match': '"7"' } } },
      ],
      ['a name', 400, "'name' cannot be changed after creation.", { request: { body: { name: 'other' } } }],
      [
        'a deployment that is being deleted',
        409,
        expect.stringContaining('AWAITING_DELETE'),
        { given: () => seedDeployment(table, { status: 'AWAITING_DELETE' }) },
      ],
    ],
  },
  deleteDeployment: {
    given: () => seedDeployment(table, { queued: [1] }),
    fails: [
      deploymentGone,
      [
        'another version',
        412,
        'If-Match names version "7", but the current version is "1".',
        { request: { headers: { 'if-match': '"7"' } } },
      ],
      [
        'force of one that is not being deleted',
        409,
        expect.stringContaining('is not being deleted'),
        { request: { query: { force: 'true' } } },
      ],
    ],
  },
  deleteDeployments: {
    request: { query: { deployment_ids: ids.deployment } },
    given: () => seedDeployment(table, { queued: [1] }),
    shows: { results: [{ deployment_id: ids.deployment, status: 204, detail: null }] },
    fails: [
      [
        'no ids',
        422,
        [expect.objectContaining({ loc: ['query', 'deployment_ids'], type: 'missing' })],
        { request: { query: {} } },
      ],
      [
        'more than a hundred',
        422,
        [expect.objectContaining({ loc: ['query', 'deployment_ids'], type: 'too_long' })],
        { request: { query: { deployment_ids: Array.from({ length: 101 }, () => ids.unknown).join() } } },
      ],
    ],
  },
  createUploadUrl: {
    given: () => seedDeployment(table, { source: 'internal_source', revision_source: 'internal_source' }),
    shows: {
      object_path: expect.stringMatching(/^uploads\//),
      upload_url: expect.stringContaining('X-Amz-Signature'),
    },
    fails: [
      deploymentGone,
      [
        'a source that is not uploaded',
        400,
        "Upload URLs are only available for 'internal_source' and 'internal_docker' source deployments",
        { given: () => seedDeployment(table) },
      ],
      [
        'a deployment that is being deleted',
        409,
        expect.stringContaining('AWAITING_DELETE'),
        { given: () => seedDeployment(table, { status: 'AWAITING_DELETE' }) },
      ],
    ],
  },
  createPushToken: {
    given: () => seedDeployment(table, pushed),
    request: { body: { supports_registry_username: true } },
    shows: {
      token: 'password',
      username: 'AWS',
      registry_url: 'registry.example',
      repository_url: `registry.example/slipway/${ids.tenant}/${ids.deployment}`,
    },
    fails: [
      deploymentGone,
      [
        'a source that is not pushed',
        400,
        "Push tokens are only available for 'internal_docker' source deployments",
        { given: () => seedDeployment(table) },
      ],
      [
        'a client that takes no user name',
        400,
        expect.stringMatching(/langgraph-cli 0\.4\.35 or later.*--remote/),
        { request: { body: {} } },
      ],
      [
        'a deployment that is being deleted',
        409,
        expect.stringContaining('AWAITING_DELETE'),
        { given: () => seedDeployment(table, { ...pushed, status: 'AWAITING_DELETE' }) },
      ],
    ],
  },
  listRevisions: {
    shows: { resources: [expect.objectContaining({ id: ids.revision })] },
    fails: [deploymentGone, badLimit],
  },
  createRevision: {
    request: { body: {} },
    shows: { status: 'QUEUED' },
    also: { given: seedOwnAddress, request: { body: withoutAddress } },
    fails: [deploymentGone],
  },
  getRevision: { shows: { id: ids.revision, status: 'QUEUED' }, fails: [revisionGone] },
  redeployRevision: {
    given: () => seedRevision(table, { status: 'DEPLOYED' }),
    shows: { id: ids.deployment },
    fails: [
      revisionGone,
      [
        'one that has not finished',
        409,
        `Revision ${ids.revision} has nothing to run: BUILDING`,
        { given: () => seedRevision(table, { status: 'BUILDING' }) },
      ],
    ],
  },
  interruptRevision: interruptCase,
  interruptRevisionAlias: interruptCase,
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
  listListeners: { shows: { resources: [expect.objectContaining({ id: ids.listener })] }, fails: [badLimit] },
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
    request: { body: { reports: [] } },
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
  queryBuildLogs: logCase,
  queryDeployLogs: logCase,
  queryProjectDeployLogs: { ...logCase, fails: [deploymentGone] },
  queryRevisionLogs: {
    request: { query: { type: 'build' } },
    shows: { logs: [] },
    fails: [
      revisionGone,
      ['no type', 422, [expect.objectContaining({ loc: ['query', 'type'] })], { request: { query: {} } }],
    ],
  },
};
