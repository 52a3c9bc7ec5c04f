import { CREATED, DEPLOYMENT, page, REVISION } from '../../contract/example-values.ts';

const delivery = {
  id: '01a1fdd5-6071-7283-8e9f-0a1b2c3d4e5f',
  delivery_id: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
  event: 'push',
  repository: 'example/support-agent',
  ref: 'refs/heads/main',
  at: CREATED,
  pending: false,
  revision_ids: [REVISION],
  outcomes: [{ deployment_id: DEPLOYMENT, revision_id: REVISION, reason: null }],
  reason: null,
};

const pending = {
  ...delivery,
  pending: true,
  revision_ids: [],
  outcomes: [{ deployment_id: DEPLOYMENT, revision_id: null, reason: null }],
};

export const pushExamples = {
  listDeliveries: page(delivery),
  receiveDelivery: { response: pending },
};
