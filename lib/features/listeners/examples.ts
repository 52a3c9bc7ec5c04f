import { CHANGED, CREATED, LISTENER, page } from '../../contract/example-values.ts';

const config = {
  k8s_namespaces: ['agents'],
  gateway: { name: 'public', namespace: 'gateways' },
  host_template: '{name}.agents.example.com',
  pod_security: 'baseline',
};

const listener = {
  id: LISTENER,
  compute_type: 'k8s',
  compute_id: 'cluster-1',
  compute_config: config,
  created_at: CREATED,
  updated_at: CREATED,
  version: '0.2.0',
  platform: 'linux/arm64',
  is_default: true,
  last_seen_at: CHANGED,
  status: 'ONLINE',
  warnings: [],
  capacity: null,
};

export const listenerExamples = {
  createListener: {
    body: { compute_type: 'k8s', compute_id: 'cluster-1', compute_config: config },
    response: {
      ...listener,
      version: null,
      platform: null,
      is_default: false,
      last_seen_at: null,
      status: 'NEVER_SEEN',
    },
  },
  listListeners: page(listener),
  getListener: { response: listener },
  patchListener: { body: { is_default: true }, response: listener },
};
