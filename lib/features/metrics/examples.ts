import { REVISION } from '../../contract/example-values.ts';

const values = {
  requests: { all: 240, '1xx': 0, '2xx': 231, '3xx': 0, '4xx': 7, '5xx': 2, failed: 2 },
  latency: { count: 240, p50_ms: 182.4, p95_ms: 941, p99_ms: 2210.5 },
  bytes_in: 148_210,
  bytes_out: 2_311_904,
  streams: 3,
  in_flight: 9,
  servers_wanted: 2,
  servers_ready: 2,
  restarts: [],
  cpu_cores: 0.731,
  memory_bytes: 412_090_368,
  runs: { begun: 24, succeeded: 22, failed: 1, waiting: 0, p50_ms: 8120, p95_ms: 31_400 },
};
const point = { at: '2026-11-21T08:59:00.000Z', ...values };

export const metricsExamples = {
  getDeploymentMetrics: {
    response: {
      from: '2026-11-21T08:00:00.000Z',
      to: '2026-11-21T09:00:00.000Z',
      step: 60,
      source: 'listener',
      missing: [],
      now: {
        at: '2026-11-21T08:59:00.000Z',
        revision_id: REVISION,
        in_flight: 9,
        streams: 3,
        servers_wanted: 2,
        servers_ready: 2,
        cpu_cores: 0.731,
        cpu_limit: 2,
        memory_bytes: 412_090_368,
        memory_limit: 2_147_483_648,
        restarts_day: 1,
        last_restart: { at: '2026-11-21T03:12:00.000Z', reason: 'OOMKilled' },
      },
      total: [point],
      revisions: [{ revision_id: REVISION, number: 14, total: values, points: [point] }],
      deploys: [{ revision_id: REVISION, number: 14, at: '2026-11-21T08:41:07.120Z' }],
    },
  },
  exposeMetrics: {
    response: {
      contentType: 'text/plain; version=0.0.4',
      text: '# HELP slipway_servers_ready Servers that are ready.\n# TYPE slipway_servers_ready gauge\nslipway_servers_ready{service_name="support-agent",service_version="14"} 2\n',
    },
  },
};
