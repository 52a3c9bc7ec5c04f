import { expect } from 'vitest';
import { deploymentKey, hostKey, revisionKey } from '../../../lib/store/keys/index.ts';
import { mockRegistry } from '../../support/aws/mocked-registry.ts';
import type { EventParts } from '../../support/http/event.ts';
import { mockTable } from '../../support/table/mocked-table.ts';
import { ids, seedDeployment, seedRevision } from '../../support/table/stored-items.ts';
import { consentCases } from './consent-cases.ts';
import { identityCases } from './identity-cases.ts';
import { integrationCases } from './integration-cases.ts';
import { listenerCases } from './listener-cases.ts';
import { oauthProviderCases } from './oauth-provider-cases.ts';
import { oauthTokenCases } from './oauth-token-cases.ts';

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
const badLimit: Case['fails'][number] = [
  'a limit of none',
  422,
  [expect.objectContaining({ loc: ['query', 'limit'], type: 'greater_than_equal' })],
  { request: { query: { limit: '0' } } },
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
const withoutAddress = { source_config: { custom_url: '' } };
const seedOwnAddress = (): void => {
  seedDeployment(table, { config: { ...SOURCE.source_config, custom_url: 'https://agent.example' } });
  const claim = { v: 1, entity: 'host_claim', tenant_id: ids.tenant, deployment_id: ids.deployment };
  table.seed(hostKey(ids.tenant, ids.listener, 'agent.example'), claim);
};

/** A success and failures of operations that need a key. */
export const cases: Record<string, Case> = {
  ...identityCases(table),
  ...integrationCases(table),
  ...oauthProviderCases(table),
  ...oauthTokenCases(table),
  ...consentCases(table),
  ...listenerCases(table),
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
        [
          expect.objectContaining({
            loc: ['body', 'name'],
            type: 'value_error',
            msg: expect.stringMatching(/^Value error, a name has lower-case letters, /),
          }),
        ],
        { request: { body: { name: 'Not good', ...SOURCE } } },
      ],
      [
        'no JSON',
        422,
        [expect.objectContaining({ loc: ['body', 1], type: 'json_invalid' })],
        { request: { body: '{' } },
      ],
      [
        'no object',
        422,
        [expect.objectContaining({ loc: ['body'], type: 'model_attributes_type', input: [] })],
        { request: { body: '[]' } },
      ],
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
