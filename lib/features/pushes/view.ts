import type { PushDelivery } from './items.ts';
import type { PushDeliveryView } from './shape.ts';

export function pushDeliveryViewOf(item: PushDelivery): PushDeliveryView {
  const last = [...new Map(item.outcomes.map((each) => [each.deployment_id, each])).values()];
  return {
    id: item.id,
    delivery_id: item.delivery_id,
    event: item.event,
    repository: item.repository ?? null,
    ref: item.ref ?? null,
    at: item.at,
    pending: item.open > 0,
    revision_ids: last.flatMap(({ revision_id: id }) => id ?? []),
    outcomes: last.map(({ deployment_id, revision_id, reason }) => ({
      deployment_id,
      revision_id: revision_id ?? null,
      reason: reason ?? null,
    })),
    reason: item.reason ?? null,
  };
}
