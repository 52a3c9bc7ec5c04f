import { clock, doorbellWaker, events, settings, table, webhookWaker } from '../../lib/container.ts';
import { changesRecorder } from '../../lib/features/events/record-changes.ts';
import { changeConsumer } from '../../lib/triggers/change-consumer.ts';

export const create = changeConsumer('events', changesRecorder);
export const handler = create(() => ({
  table: table(),
  clock,
  events: events(),
  settings: settings(),
  webhookWaker: webhookWaker(),
  doorbellWaker: doorbellWaker(),
}));
