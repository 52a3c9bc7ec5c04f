import { CHANGED, DEPLOYMENT, REVISION, TENANT } from '../../contract/example-values.ts';

const event = {
  number: 42,
  id: `${REVISION}:6`,
  type: 'revision.status_changed',
  sequence: 8,
  at: CHANGED,
  tenant_id: TENANT,
  deployment_id: DEPLOYMENT,
  revision_id: REVISION,
  status: 'DEPLOYED',
};

export const eventExamples = {
  listEvents: { response: { resources: [event], after: 42, missed: 0 } },
};
