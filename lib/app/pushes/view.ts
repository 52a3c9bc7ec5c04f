import type { DeliveryView } from '../../contract/integrations.ts';
import type { Delivery } from '../../store/pushes/deliveries.ts';

export const deliveryView = (item: Delivery): DeliveryView => ({
  id: item.id,
  delivery_id: item.delivery_id,
  event: item.event,
  repository: item.repository ?? null,
  ref: item.ref ?? null,
  at: item.at,
  revision_ids: item.outcomes.flatMap(({ revision_id: id }) => id ?? []),
  outcomes: item.outcomes.map(({ deployment_id, revision_id, reason }) => ({
    deployment_id,
    revision_id: revision_id ?? null,
    reason: reason ?? null,
  })),
  reason: item.reason ?? null,
});
