import { CHANGED, CREATED, DEPLOYMENT, page, REVISION, USER } from '../../contract/example-values.ts';
import { deploymentExamples } from '../deployments/examples.ts';

const { response: deployment } = deploymentExamples.getDeployment;
const { body: change } = deploymentExamples.patchDeployment;
const { source_revision_config: sourceRevisionConfig } = deployment;

const revision = {
  id: REVISION,
  deployment_id: DEPLOYMENT,
  number: 1,
  created_at: CREATED,
  updated_at: CHANGED,
  source: 'github',
  source_revision_config: sourceRevisionConfig,
  status: 'DEPLOYED',
  status_message: null,
  status_history: [
    { status: 'CREATING', at: CREATED },
    { status: 'QUEUED', at: CREATED },
    { status: 'AWAITING_BUILD', at: '2026-11-21T11:29:13.377Z' },
    { status: 'BUILDING', at: '2026-11-21T11:29:13.509Z' },
    { status: 'AWAITING_DEPLOY', at: '2026-11-21T11:29:13.744Z' },
    { status: 'DEPLOYING', at: '2026-11-21T11:29:13.790Z' },
    { status: 'DEPLOYED', at: CHANGED },
  ],
  remote_reconciled: true,
  queue_position: null,
  interrupt_requested_at: null,
  configuration: null,
  commit: { message: 'Answer in the language of the question', author: 'Ada', at: CREATED },
  cause: { kind: 'request', delivery_id: null, revision_id: null, reason: null },
  created_by: { kind: 'person', id: USER, name: 'ada@example.com' },
  runtime_resolved: 'dev',
};

const queued = {
  ...revision,
  source_revision_config: { ...sourceRevisionConfig, repo_commit_sha: null },
  status: 'QUEUED',
  status_message: `Waits for revision ${REVISION}, which is BUILDING since ${CREATED}.`,
  status_history: revision.status_history.slice(0, 2),
  remote_reconciled: false,
  queue_position: 1,
  commit: null,
};

const interrupted = {
  ...queued,
  status: 'BUILDING',
  status_message: null,
  queue_position: null,
  interrupt_requested_at: CHANGED,
};

export const revisionExamples = {
  listRevisions: page(revision),
  createRevision: { body: change, response: queued },
  getRevision: { response: revision },
  redeployRevision: { body: { reason: 'the last good one' }, response: deployment },
  interruptRevision: { body: { reason: 'wrong branch' }, response: interrupted },
  releaseThreads: {
    response: { deployment_id: DEPLOYMENT, revision_id: REVISION, waiting: 3, reported_at: CHANGED },
  },
  interruptRevisionAlias: { body: {}, response: interrupted },
};
