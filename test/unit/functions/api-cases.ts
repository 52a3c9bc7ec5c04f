import { expect } from 'vitest';
import {
  defaultListenerKey,
  deploymentKey,
  listenerKey,
  openTaskKey,
  revisionKey,
} from '../../../lib/store/keys.ts';
import type { EventParts } from '../../support/event.ts';
import { mockTable } from '../../support/mocked-table.ts';
import { ids, seedDeployment, seedInSlot, seedRevision, seedTask } from '../../support/stored-items.ts';

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

/** One success and at least one failure of every operation that needs a key. */
export const cases: Record<string, Case> = {
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
  listRevisions: {
    shows: { resources: [expect.objectContaining({ id: ids.revision })] },
    fails: [deploymentGone, badLimit],
  },
  createRevision: { request: { body: {} }, shows: { status: 'QUEUED' }, fails: [deploymentGone] },
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
