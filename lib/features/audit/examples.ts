import { CREATED, page } from '../../contract/example-values.ts';

const USER = '2b3c4d5e-6f70-4182-9394-a5b6c7d8e9f0';

const auditEvent = {
  id: '01a1fdd4-5f60-7172-9d8e-9f0a1b2c3d4e',
  at: CREATED,
  action: 'request.refuse',
  user_id: USER,
  key_id: '01a1fdd1-2c3d-7e4f-8a5b-6c7d8e9f0a1b',
  request_id: '3c4d5e6f-7081-4293-a4b5-c6d7e8f90a1b',
  count: 3,
  details: {
    status: 403,
    reason: 'permission_missing',
    operation: 'createListener',
    source_address: '192.0.2.1',
    credential: 'slp_4fKq…9dZb',
  },
  resource_type: 'request',
  resource_id: null,
  deployment_id: null,
};

export const auditExamples = { listAuditEvents: page(auditEvent) };
