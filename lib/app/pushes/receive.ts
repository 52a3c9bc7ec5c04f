import { refuse, ValidationError } from '../../contract/errors.ts';
import type { DeliveryView } from '../../contract/integrations.ts';
import type { receiveDelivery as row } from '../../contract/routes/integrations.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { findAnyIntegration, type Integration } from '../../store/integrations.ts';
import {
  type Delivery,
  type DeliveryOutcome,
  deliveryExpiry,
  endDelivery,
  findDelivery,
  keepDelivery,
  noteOutcome,
} from '../../store/pushes/deliveries.ts';
import { type Watch, watchesOf } from '../../store/pushes/watches.ts';
import { openCredentials } from '../integrations/sealed.ts';
import { type ConsiderDeps, type Considered, considerHead } from './consider.ts';
import { type ParsedDelivery, type Push, parseDelivery } from './parse-delivery.ts';
import { isSigned, type Received } from './signature.ts';
import { deliveryView } from './view.ts';

/** Hosts wait some ten seconds; each deployment takes a request or two of git. */
const SIDE_BY_SIDE = 5;

/**
 * Takes a delivery of a git host. Nothing is read of its body, and nothing written, before its signature has
 * held: what is unknown, has no secret or another one gets the same 401. One that came before makes nothing;
 * one that was not done to its end is taken up again.
 */
export async function receiveDelivery(
  { params, received }: Pick<RouteInput<typeof row>, 'params'> & { received: Received },
  deps: ConsiderDeps,
): Promise<DeliveryView> {
  const integration = await signedBy(deps, params, received);
  const parsed = parseDelivery(params.type, received);
  if (parsed === undefined) throw notReadable(params.type);
  const place = { tenantId: integration.tenant_id, integrationId: integration.id };
  const before = await findDelivery(deps.table, place, parsed.id);
  if (before?.done === true) return deliveryView(before);
  const watches = await watchesFor(deps, integration.tenant_id, parsed);
  const item = before ?? (await keep(deps, integration, parsed, watches));
  if (item.done) return deliveryView(item);
  const outcomes = await carryOut(deps, item, parsed.push, watches);
  await write(deps.table, endDelivery(item));
  return deliveryView({ ...item, outcomes });
}

async function signedBy(
  deps: ConsiderDeps,
  { type, integration_id: id }: RouteInput<typeof row>['params'],
  received: Received,
): Promise<Integration> {
  const integration = await findAnyIntegration(deps.table, id);
  if (integration?.type !== type || !integration.has_webhook_secret) throw refuse('unauthenticated', {});
  const { webhook_secret: secret } = await openCredentials(deps, integration);
  if (secret === undefined || !isSigned(type, secret, received)) throw refuse('unauthenticated', {});
  return integration;
}

const notReadable = (type: string): Error =>
  new ValidationError([
    {
      loc: ['body'],
      type: 'value_error',
      msg: `Value error, this is no delivery of ${type}: choose the content type application/json for the webhook`,
    },
  ]);

/** What builds a branch that was pushed, each once; a deleted branch has nothing to build. */
async function watchesFor(
  { table }: ConsiderDeps,
  tenantId: string,
  { push }: ParsedDelivery,
): Promise<Watch[]> {
  const branches = push?.branches.filter(({ isDeleted }) => !isDeleted).map(({ name }) => name) ?? [];
  const found = new Map<string, Watch>();
  for (const name of branches.length > 0 ? (push?.names ?? []) : [])
    for await (const watch of watchesOf(table, tenantId, name))
      if (branches.includes(watch.branch)) found.set(watch.deployment_id, watch);
  return [...found.values()];
}

function reasonFor({ push, reason }: ParsedDelivery, watches: Watch[]): string | undefined {
  if (watches.length > 0) return undefined;
  if (push === undefined) return reason;
  return push.branches.every(({ isDeleted }) => isDeleted)
    ? 'the branch was deleted'
    : 'no deployment builds pushes to this branch of this repository';
}

/** Keeps that the delivery has come; of two that come at the same time the later one finds the other's. */
async function keep(
  deps: ConsiderDeps,
  integration: Integration,
  parsed: ParsedDelivery,
  watches: Watch[],
): Promise<Delivery> {
  const now = deps.clock.now();
  const reason = reasonFor(parsed, watches);
  const item: Delivery = {
    v: 1,
    entity: 'delivery',
    tenant_id: integration.tenant_id,
    integration_id: integration.id,
    id: deps.clock.orderedId(),
    delivery_id: parsed.id,
    event: parsed.event,
    ...(parsed.repository !== undefined && { repository: parsed.repository }),
    ...(parsed.ref !== undefined && { ref: parsed.ref }),
    at: new Date(now).toISOString(),
    outcomes: [],
    ...(reason !== undefined && { reason }),
    done: watches.length === 0,
    ttl: deliveryExpiry(now),
  };
  try {
    await transact(deps.table, keepDelivery(item));
    return item;
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    const place = { tenantId: integration.tenant_id, integrationId: integration.id };
    const other = await findDelivery(deps.table, place, parsed.id);
    if (other === undefined) throw refuse('unavailable', { what: 'The record of this delivery' });
    return other;
  }
}

async function carryOut(
  deps: ConsiderDeps,
  item: Delivery,
  push: Push | undefined,
  watches: Watch[],
): Promise<DeliveryOutcome[]> {
  const outcomes = [...item.outcomes];
  const isDone = ({ deployment_id: id }: Watch) => item.outcomes.some((each) => each.deployment_id === id);
  const queue = watches.filter((watch) => !isDone(watch));
  const worker = async (): Promise<void> => {
    for (let watch = queue.shift(); watch !== undefined; watch = queue.shift()) {
      const owner = { tenantId: watch.tenant_id, deploymentId: watch.deployment_id };
      const considered = await considerHead(deps, owner, {
        cause: { kind: 'push', delivery_id: item.id },
        ...(push !== undefined && { said: push.said }),
        beside: (found) => [noteOutcome(item, outcomeOf(watch, found))],
      });
      outcomes.push(outcomeOf(watch, considered));
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  return outcomes;
}

const outcomeOf = ({ deployment_id }: Watch, considered: Considered): DeliveryOutcome =>
  'revisionId' in considered
    ? { deployment_id, revision_id: considered.revisionId }
    : { deployment_id, reason: considered.reason };
