import type { Deps } from '../../core/deps.ts';
import { DISABLED_ON_REQUEST, type Webhook } from '../webhooks/items.ts';
import { deliveriesOf, queuesOf, webhookRefOf, webhooksOf } from '../webhooks/store.ts';
import { firstSentence } from './first-sentence.ts';
import type { AttentionEntry } from './shape.ts';

type ReadDeps = Pick<Deps, 'table'>;

/** Webhooks whose receiver does not take what is sent, and those that were turned off for it. */
export async function failingWebhooks(deps: ReadDeps, tenantId: string): Promise<AttentionEntry[]> {
  const webhooks = await webhooksOf(deps.table, tenantId);
  const found = await Promise.all(webhooks.map((each) => failing(deps, each)));
  return found.filter((entry) => entry !== undefined);
}

async function failing({ table }: ReadDeps, webhook: Webhook): Promise<AttentionEntry | undefined> {
  const { disabled, name } = webhook;
  if (disabled !== undefined) {
    if (disabled.reason === DISABLED_ON_REQUEST) return undefined;
    const effect = `${firstSentence(disabled.reason)}. No events are sent to it.`;
    return entryOf(webhook, disabled.at, `The webhook ${name} was turned off`, effect);
  }
  const ref = webhookRefOf(webhook);
  const queues = (await queuesOf(table, ref)).flatMap(({ failing: each }) =>
    each === undefined ? [] : [each],
  );
  if (queues.length === 0) return undefined;
  const since = Math.min(...queues.map((each) => each.since));
  const last = await newestAnswer(table, webhook);
  const effect = `${last === undefined ? '' : `${firstSentence(last)}. `}Events wait until it answers.`;
  return entryOf(webhook, new Date(since).toISOString(), `The webhook ${name} fails`, effect);
}

/** Of so many attempts: others of its queues may be delivered meanwhile. */
const LOOKED_AT_MAX = 10;

/** What its receiver said to the newest attempt that failed. */
async function newestAnswer(table: ReadDeps['table'], webhook: Webhook): Promise<string | undefined> {
  let looked = 0;
  for await (const delivery of deliveriesOf(table, webhookRefOf(webhook), LOOKED_AT_MAX)) {
    const { result, reason, status_code: status } = delivery;
    if (result === 'FAILED')
      return reason ?? (status === undefined ? undefined : `Its receiver answered ${status}`);
    looked += 1;
    if (looked === LOOKED_AT_MAX) break;
  }
  return undefined;
}

const entryOf = ({ id, name }: Webhook, since: string, says: string, effect: string): AttentionEntry => ({
  kind: 'webhook_failing',
  since,
  deployment: null,
  revision: null,
  subject: { id, name },
  says,
  effect,
  ends_at: null,
});
