import { refuse } from '../../contract/errors.ts';
import { isManaged } from '../../core/items/managed.ts';

/** The managed listener goes with its tenant, and nobody speaks for it. */
export function checkNotManaged(name: string, listener: { tenant_id: string; listener_id: string }): void {
  if (!isManaged(listener)) return;
  throw refuse('state_forbids', {
    reason: `Listener ${name} is part of this installation, which runs agents on Fargate itself: it is not deleted and has no keys. Register a listener of your own with POST /v2/listeners.`,
  });
}
