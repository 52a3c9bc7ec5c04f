import { sweep } from '../../lib/app/engine/sweep.ts';
import { engineDeps, events, webhookWaker } from '../../lib/container.ts';
import { schedule } from '../../lib/triggers/schedule.ts';

export const create = schedule('sweep', sweep);
export const handler = create(() => ({ ...engineDeps(), events: events(), webhookWaker: webhookWaker() }));
