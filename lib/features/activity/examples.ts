import { CHANGED, DEPLOYMENT, page, REVISION } from '../../contract/example-values.ts';

const deployment = { id: DEPLOYMENT, name: 'support-agent' };
const revision = { id: REVISION, number: 1 };

const entry = {
  id: '01a1fdd4-5f60-7172-9d8e-9f0a1b2c3d4e',
  at: CHANGED,
  kind: 'revision_begun',
  actor: { kind: 'person', name: 'mara@example.com' },
  deployment,
  revision,
  subject: null,
  says: 'mara@example.com deployed support-agent, revision 1',
};

const failed = {
  kind: 'deployment_failed',
  since: CHANGED,
  deployment,
  revision,
  subject: null,
  says: 'support-agent: revision 1 failed to build',
  effect: 'No matching distribution found for langchian. Nothing serves.',
  ends_at: null,
};

export const activityExamples = {
  listActivity: page(entry),
  listDeploymentActivity: page(entry),
  listAttention: { response: { resources: [failed] } },
};
