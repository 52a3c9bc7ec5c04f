import { DecryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { mockClient } from 'aws-sdk-client-mock';
import { expect } from 'vitest';
import { auditEventKey } from '../../../lib/store/keys/audit.ts';
import { integrationKey } from '../../../lib/store/keys/index.ts';
import type { MockedTable } from '../../support/table/mocked-table.ts';
import { ids } from '../../support/table/stored-items.ts';
import type { Case } from './api-cases.ts';

const integration = {
  v: 1,
  entity: 'integration',
  tenant_id: ids.tenant,
  id: ids.integration,
  type: 'github',
  name: 'ours',
  host: 'github.com',
  sealed: 'v1.x.y',
  has_webhook_secret: false,
  created_at: '2026-01-01T00:00:00.000Z',
  created_by: ids.user,
};

const auditEvent = {
  v: 1,
  entity: 'audit_event',
  action: 'deployment.create',
  user_id: ids.user,
  key_id: ids.user,
  deployment_id: ids.deployment,
  ttl: 4_000_000_000,
};

const badLimit: Case['fails'][number] = [
  'a limit of none',
  422,
  [expect.objectContaining({ loc: ['query', 'limit'], type: 'greater_than_equal' })],
  { request: { query: { limit: '0' } } },
];

/** Of integrations, and of what is kept of who did what. */
export function integrationCases(table: MockedTable): Record<string, Case> {
  mockClient(KMSClient)
    .on(GenerateDataKeyCommand)
    // As in a real answer; the envelope wipes the key after its use.
    .callsFake(() => ({ Plaintext: new Uint8Array(32).fill(7), CiphertextBlob: new Uint8Array([1]) }))
    .on(DecryptCommand)
    .callsFake(async () => ({ Plaintext: new Uint8Array(32).fill(7) }));
  const stored = () => table.seed(integrationKey(ids.tenant, ids.integration), integration);
  return {
    createIntegration: {
      request: { body: { type: 'github', token: 'never-shown' } },
      shows: { id: expect.any(String), host: 'github.com', has_webhook_secret: false },
      fails: [
        [
          'a host that nobody may reach',
          422,
          [expect.objectContaining({ loc: ['body', 'host'], type: 'value_error' })],
          { request: { body: { type: 'github', token: 't', host: '10.0.0.1' } } },
        ],
        [
          'no token',
          422,
          [expect.objectContaining({ loc: ['body', 'token'], type: 'missing' })],
          { request: { body: { type: 'github' } } },
        ],
      ],
    },
    listIntegrations: {
      given: stored,
      shows: { resources: [expect.objectContaining({ id: ids.integration, submodules: false })], offset: 1 },
      fails: [badLimit],
    },
    listInstalledIntegrations: {
      given: stored,
      shows: [{ id: ids.integration, name: 'ours', host: 'github.com' }],
      fails: [],
    },
    deleteIntegration: {
      fails: [
        [
          'another integration',
          404,
          `Integration ID ${ids.integration} not found.`,
          { given: () => table.refuseOnce((write) => write.Delete !== undefined) },
        ],
      ],
    },
    listAuditEvents: {
      given: () => table.seed(auditEventKey({ tenantId: ids.tenant }, ids.unknown), auditEvent),
      shows: {
        resources: [expect.objectContaining({ action: 'deployment.create', resource_id: ids.deployment })],
      },
      fails: [
        badLimit,
        [
          'an action that is none',
          422,
          [expect.objectContaining({ loc: ['query', 'action'], type: 'enum' })],
          { request: { query: { action: 'nothing' } } },
        ],
      ],
    },
  };
}
