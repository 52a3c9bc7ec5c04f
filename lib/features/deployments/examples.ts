import { SECRET_MASK } from '../../contract/deployments/secrets.ts';
import {
  CHANGED,
  CREATED,
  DEPLOYMENT,
  LISTENER,
  page,
  REPOSITORY_URL,
  REVISION,
  TENANT,
} from '../../contract/example-values.ts';
import { deploymentView, sourceConfigView } from './shape.ts';

const sourceRevisionConfig = {
  repo_ref: 'main',
  graph_config_path: 'langgraph.json',
  langgraph_config_path: 'langgraph.json',
  image_uri: null,
  source_tarball_path: null,
  repo_commit_sha: '0773e0f4c1d2b3a495867f6e5d4c3b2a19087f6e',
};

/** Every field is in an answer, null where it is not set. */
const unset = (view: { shape: object }) =>
  Object.fromEntries(Object.keys(view.shape).map((field) => [field, null]));

const deployment = {
  ...unset(deploymentView),
  id: DEPLOYMENT,
  name: 'support-agent',
  tenant_id: TENANT,
  created_at: CREATED,
  updated_at: CHANGED,
  source: 'github',
  status: 'READY',
  url: 'https://agents.example/d/support-agent',
  source_config: {
    ...unset(sourceConfigView),
    repo_url: REPOSITORY_URL,
    custom_url: 'https://agents.example/d/support-agent',
    drain_seconds: 600,
    resource_spec: { cpu: 1, memory_mb: 1024 },
    listener_id: LISTENER,
  },
  source_revision_config: sourceRevisionConfig,
  secrets: [{ name: 'MODEL_API_KEY', value: SECRET_MASK }],
  secret_references: [],
  latest_revision_id: REVISION,
  active_revision_id: REVISION,
  active_configuration: { differs: false, fields: [] },
  image_version: '0773e0f',
  is_managed_deep_agent: false,
  artifacts: { count: 2, size_bytes: 61_440_000 },
  runtime_resolved: 'dev',
  threads: null,
  runtime_reason: 'it is the usual one where the deployment runs',
};

const created = {
  ...deployment,
  status: 'UNUSED',
  url: null,
  source_config: { ...deployment.source_config, custom_url: null },
  source_revision_config: { ...sourceRevisionConfig, repo_commit_sha: null },
  active_revision_id: null,
  active_configuration: null,
  image_version: null,
  artifacts: null,
  runtime_resolved: null,
  runtime_reason: null,
};

const change = { source_revision_config: { repo_ref: 'main' } };

export const deploymentExamples = {
  createDeployment: {
    body: {
      name: 'support-agent',
      source_config: { repo_url: REPOSITORY_URL, resource_spec: { cpu: 1, memory_mb: 1024 } },
      source_revision_config: { repo_ref: 'main' },
      secrets: [{ name: 'MODEL_API_KEY', value: 'the value' }],
    },
    response: created,
  },
  listDeployments: page({ ...deployment, latest_revision: null, traffic: null }),
  getDeployment: { response: deployment },
  patchDeployment: { body: change, response: deployment },
  deleteDeployments: {
    response: { results: [{ deployment_id: DEPLOYMENT, status: 204, detail: null }] },
  },
  askServer: {
    body: {
      method: 'POST',
      path: '/runs/stream',
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: '{"assistant_id": "agent", "input": {}}',
    },
    response: { contentType: 'application/octet-stream', text: '', isBase64: true },
  },
};
