import type { HeadPlace } from '../../adapters/head-waker.ts';
import { refuse, ValidationError } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { commitWords } from '../../core/commit-words.ts';
import type { Deps } from '../../core/deps.ts';
import { openCredentials } from '../../core/git-credentials.ts';
import { findAnyIntegration, type Integration } from '../../core/items/integrations.ts';
import { type Watch, watchesPk } from '../../core/items/push-watches.ts';
import { retryRaces, transact, type Write } from '../../store/dynamodb/transact.ts';
import type { PushDelivery } from './items.ts';
import { type ParsedDelivery, parseDelivery } from './parse-delivery.ts';
import type { receiveDelivery as row } from './routes.ts';
import type { PushDeliveryView } from './shape.ts';
import { isSigned, type Received } from './signature.ts';
import {
  awaitPush,
  checkHeadNow,
  deliveryExpiry,
  findPushDelivery,
  keepDelivery,
  sameDelivery,
  watchesOf,
} from './store.ts';
import { pushDeliveryViewOf } from './view.ts';

type ReceiveDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'headWaker'>;

/** Of a push; the host is asked for what else its head may be. */
const COMMITS_KEPT = 20;
/** Two writes for each, and a transaction has at most a hundred. */
const WATCHES_AT_ONCE = 40;

/**
 * Takes a delivery of a git host. Nothing is read of its body, and nothing written, before its signature has
 * held: what is unknown, has no secret or another one gets the same 401. It is stored, and the heads that it
 * tells of are due, when this is answered: what becomes of it is found out behind the answer, by a call that
 * looks at once, and by the next look of all where that call is lost. One that came before makes nothing.
 */
export async function receiveDelivery(
  deps: ReceiveDeps,
  { params, received }: Pick<RouteInput<typeof row>, 'params'> & { received: Received },
): Promise<PushDeliveryView> {
  const integration = await signedBy(deps, params, received);
  const parsed = parseDelivery(params.type, received);
  if (parsed === undefined) throw notReadable(params.type);
  const { item, heads } = await retryRaces(deps.table, () => keep(deps, integration, parsed));
  // Lost calls cost minutes and nothing else.
  await Promise.all(heads.map((head) => deps.headWaker.wake(head).catch(() => undefined)));
  return pushDeliveryViewOf(item);
}

async function signedBy(
  deps: ReceiveDeps,
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

type Named = { watch: Watch; name: string };

/** What builds a branch that was pushed, each once; a deleted branch has nothing to build. */
async function watchesFor(
  { table }: ReceiveDeps,
  tenantId: string,
  { push }: ParsedDelivery,
): Promise<Named[]> {
  const branches = push?.branches.filter(({ isDeleted }) => !isDeleted).map(({ name }) => name) ?? [];
  const found = new Map<string, Named>();
  for (const name of branches.length > 0 ? (push?.names ?? []) : [])
    for await (const watch of watchesOf(table, tenantId, name))
      if (branches.includes(watch.branch)) found.set(watch.deployment_id, { watch, name });
  return [...found.values()];
}

function reasonFor({ push, reason }: ParsedDelivery, watches: Named[]): string | undefined {
  if (watches.length > 0) return undefined;
  if (push === undefined) return reason;
  return push.branches.every(({ isDeleted }) => isDeleted)
    ? 'the branch was deleted'
    : 'no deployment builds pushes to this branch of this repository';
}

/**
 * Keeps that the delivery has come, and has what it tells of looked at. Of two that come at the same time the
 * later one finds the other's; one that came before and was not kept to its end is taken up there.
 */
async function keep(
  deps: ReceiveDeps,
  integration: Integration,
  parsed: ParsedDelivery,
): Promise<{ item: PushDelivery; heads: HeadPlace[] }> {
  const place = { tenantId: integration.tenant_id, integrationId: integration.id };
  const before = await findPushDelivery(deps.table, place, parsed.id);
  if (before?.open === 0) return { item: before, heads: [] };
  const watches = await watchesFor(deps, integration.tenant_id, parsed);
  const item = before ?? newDelivery(deps, integration, parsed, watches);
  const isOver = (id: string) => item.outcomes.findLast((each) => each.deployment_id === id)?.waits !== true;
  const open = watches.filter(({ watch }) => !isOver(watch.deployment_id));
  const heads = new Map<string, HeadPlace>();
  let first = before === undefined ? keepDelivery(item) : [sameDelivery(item)];
  for (let at = 0; at === 0 || at < open.length; at += WATCHES_AT_ONCE) {
    const { writes, places } = awaiting(deps, item, parsed, open.slice(at, at + WATCHES_AT_ONCE));
    await transact(deps.table, [...first, ...writes]);
    for (const head of places) heads.set(`${head.pk} ${head.sk}`, head);
    first = [sameDelivery(item)];
  }
  return { item, heads: [...heads.values()] };
}

function newDelivery(
  { clock }: ReceiveDeps,
  { tenant_id, id: integration_id }: Integration,
  parsed: ParsedDelivery,
  watches: Named[],
): PushDelivery {
  const now = clock.now();
  const reason = reasonFor(parsed, watches);
  return {
    v: 2,
    entity: 'delivery',
    tenant_id,
    integration_id,
    id: clock.orderedId(),
    delivery_id: parsed.id,
    event: parsed.event,
    ...(parsed.repository !== undefined && { repository: parsed.repository }),
    ...(parsed.ref !== undefined && { ref: parsed.ref }),
    at: new Date(now).toISOString(),
    outcomes: watches.map(({ watch }) => ({ deployment_id: watch.deployment_id, waits: true })),
    ...(reason !== undefined && { reason }),
    open: watches.length,
    ttl: deliveryExpiry(now),
  };
}

/** Has deployments wait for a look at the heads of what they watch, which are due at once. */
function awaiting(
  { clock }: ReceiveDeps,
  item: PushDelivery,
  { push }: ParsedDelivery,
  watches: Named[],
): { writes: Write[]; places: HeadPlace[] } {
  const said = [...(push?.said ?? [])].slice(-COMMITS_KEPT).flatMap(([commit, all]) => {
    const words = commitWords(all);
    return words === undefined ? [] : [{ commit, ...words }];
  });
  const rows = watches.map(({ watch, name }) =>
    awaitPush(watchesPk(watch.tenant_id, name), {
      v: 1,
      entity: 'awaited_push',
      tenant_id: watch.tenant_id,
      deployment_id: watch.deployment_id,
      ...(watch.integration_id !== undefined && { integration_id: watch.integration_id }),
      delivery: { integration_id: item.integration_id, id: item.id },
      said,
      ttl: item.ttl,
    }),
  );
  const due = watches.map(({ watch, name }) => checkHeadNow(name, watch, clock.now()));
  const heads = new Map(due.map((head) => [`${head.key.pk} ${head.key.sk}`, head]));
  return {
    writes: [...rows, ...[...heads.values()].map(({ write }) => write)],
    places: [...heads.values()].map(({ key }) => key),
  };
}
