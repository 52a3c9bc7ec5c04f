import { DEPLOYMENT, REVISION, TENANT } from '../../contract/example-values.ts';

const TASK = '01a1fdde-1c2b-7d3e-8f40-1a2b3c4d5e6f';
const LEASE = '9c4f2b1a-7e6d-4c5b-8a39-28170f6e5d4c';
const INSTANCE = 'cluster-1-7f9c';

const spec = {
  deployment_id: DEPLOYMENT,
  deployment_name: 'support-agent',
  tenant_id: TENANT,
  revision_id: REVISION,
  epoch: 3,
  artifact: {
    kind: 'image',
    uri: '123456789012.dkr.ecr.eu-central-1.amazonaws.com/slipway/agent@sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945',
    platforms: ['linux/arm64'],
  },
  graph_config_path: 'langgraph.json',
  environment: [{ name: 'MODEL_API_KEY', value: 'the value' }],
  secret_references: [],
  resource_spec: { cpu: 1, memory_mb: 1024 },
  k8s_namespace: 'agents',
  custom_url: null,
  server: 'langgraph',
  queue: false,
  drain_seconds: 600,
  commit_sha: '4f1d2c3b5a69788796a5b4c3d2e1f00918273645',
};

const lines = [{ timestamp: 1795260553502, level: 'INFO', message: 'Listening on port 8000' }];

const report = { deployment_id: DEPLOYMENT, epoch: 3, revision_id: REVISION, healthy: true };

const minute = {
  deployment_id: DEPLOYMENT,
  revision_id: REVISION,
  minute: 29_921_009,
  requests: { all: 240, '2xx': 231, '4xx': 7, '5xx': 2, failed: 2 },
  latency: { counts: [0, 0, 0, 0, 0, 3, 9, 60, 88, 70, 10], sum_ms: 3_912 },
  bytes_in: 148_210,
  bytes_out: 2_311_904,
  streams: 3,
  in_flight: 9,
  servers_wanted: 2,
  servers_ready: 2,
  restarts: [{ reason: 'OOMKilled', count: 1 }],
  memory_bytes: 412_090_368,
  runs: { begun: 24, succeeded: 22, failed: 1, waiting: 0 },
};

export const listenerProtocolExamples = {
  claimTasks: {
    body: {
      instance_id: INSTANCE,
      version: '0.2.0',
      platform: 'linux/arm64',
      max: 5,
      wait_seconds: 0,
      counts: [minute],
      missing: [{ what: 'cpu', why: 'metrics-server is not installed in this cluster.' }],
      reports: [report],
    },
    response: {
      tasks: [{ kind: 'DEPLOY', task_id: TASK, lease_id: LEASE, lease_seconds: 60, ...spec }],
      cancelled: [],
      poll_after_seconds: 1,
      desired_changes: 0,
      reported: 1,
    },
  },
  heartbeatTask: {
    body: { lease_id: LEASE, phase: 'starting', status_message: "The quota 'agents' is used up." },
    response: { stop: false },
  },
  completeTask: {
    body: { lease_id: LEASE, outcome: 'succeeded', url: 'https://support-agent.agents.example' },
    response: { accepted: true },
  },
  shipTaskLogs: { body: { lease_id: LEASE, lines }, response: { accepted: 1 } },
  getDesired: {
    response: {
      version: '41.k3Jx0vTq9Zr2Wm5A',
      complete: true,
      compute_config: {
        k8s_namespaces: ['agents'],
        gateway: { name: 'public', namespace: 'gateways' },
        host_template: '{name}.agents.example.com',
      },
      deployments: [
        { deployment_id: DEPLOYMENT, epoch: 3, revision_id: REVISION, held: false, custom_url: null },
      ],
    },
  },
  getSpec: { response: spec },
  reportStatus: {
    body: { reports: [report] },
    response: { accepted: 1 },
  },
  shipLogs: {
    body: { batches: [{ deployment_id: DEPLOYMENT, revision_id: REVISION, lines }] },
    response: { accepted: 1 },
  },
};
