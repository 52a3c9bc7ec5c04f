import { engineDeps, events, webhookWaker } from '../../lib/container.ts';
import { sweep } from '../../lib/core/engine/sweep.ts';
import { schedule } from '../../lib/triggers/schedule.ts';

export const create = schedule('sweep', sweep);
export const handler = create(() => ({ ...engineDeps(), events: events(), webhookWaker: webhookWaker() }));
