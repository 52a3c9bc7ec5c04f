import { ValidationError } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { changeFollowers, findFeedCount } from '../../core/items/feed.ts';
import { ConditionsFailed, retryRaces, transact, type Write } from '../../store/dynamodb/transact.ts';
import { checkAfter, checkDeployments, checkUrl, missingDeployment } from './checks.ts';
import { DISABLED_ON_REQUEST, type Webhook } from './items.ts';
import type { patchWebhook as row } from './routes.ts';
import { openWebhookSecrets, rotated, sealWebhookSecrets, type WebhookSecrets } from './secrets.ts';
import type { PatchWebhookBody, WebhookSecretView } from './shape.ts';
import { changeWebhook, getWebhookItem, putCursor, webhookRefOf } from './store.ts';
import { shownUrl, webhookViewOf } from './view.ts';

type PatchDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'settings'>;

/**
 * Changes what a request names, and shows the new secret where one was asked for. Throws `webhook_not_found`,
 * 422 for a host that is not to be reached from here, 404 for a deployment that is not there.
 */
export async function patchWebhook(
  deps: PatchDeps,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  caller: Caller,
): Promise<WebhookSecretView> {
  checkBody(body);
  const { table } = deps;
  const { tenantId } = caller;
  const audit = auditMarkOf(deps, { action: 'webhook.change' }, caller);
  const ids = body.deployment_ids ?? [];
  return retryRaces(table, async () => {
    const before = await getWebhookItem(table, { tenantId, webhookId: params.webhook_id });
    const { after, secret } = await changed(deps, before, body);
    const switching = await switched(deps, before, after, body.after ?? undefined);
    await transact(table, [
      changeWebhook(before, after, audit),
      ...switching,
      ...checkDeployments(tenantId, ids),
    ]).catch((error: unknown) => {
      throw (error instanceof ConditionsFailed && missingDeployment(error, ids)) || error;
    });
    return { ...webhookViewOf(after, deps.clock.now()), ...(secret !== undefined && { secret }) };
  });
}

function checkBody(body: PatchWebhookBody): void {
  if (body.after === undefined || body.status === 'ENABLED') return;
  const msg = "Value error, 'after' says where to go on, beside 'status' ENABLED";
  throw new ValidationError([{ loc: ['body', 'after'], type: 'value_error', msg, input: body.after }]);
}

async function changed(
  deps: PatchDeps,
  before: Webhook,
  body: PatchWebhookBody,
): Promise<{ after: Webhook; secret: string | undefined }> {
  const sealed = await resealed(deps, before, body);
  const { event_types, deployment_ids, disabled, ...rest } = before;
  const types = body.event_types === undefined ? event_types : (body.event_types ?? undefined);
  const ids = body.deployment_ids === undefined ? deployment_ids : (body.deployment_ids ?? undefined);
  const stopped = body.status === 'ENABLED' ? undefined : (disabled ?? stoppedBy(deps, body));
  const after: Webhook = {
    ...rest,
    ...(body.name !== undefined && { name: body.name }),
    ...(body.format !== undefined && { format: body.format }),
    ...sealed.item,
    ...(types !== undefined && { event_types: types }),
    ...(ids !== undefined && { deployment_ids: ids }),
    ...(stopped !== undefined && { disabled: stopped }),
  };
  return { after, secret: sealed.secret };
}

const stoppedBy = ({ clock }: PatchDeps, { status }: PatchWebhookBody): Webhook['disabled'] =>
  status === 'DISABLED'
    ? { at: new Date(clock.now()).toISOString(), reason: DISABLED_ON_REQUEST }
    : undefined;

/** The parts of the item that hold the address and the secrets, where one of them changes. */
async function resealed(
  deps: PatchDeps,
  before: Webhook,
  { url: given, rotate_secret: rotates, format = before.format }: PatchWebhookBody,
): Promise<{ item: Partial<Webhook>; secret?: string }> {
  // What is shown may be sent back, masked or not.
  const url = given === before.shown_url ? undefined : given;
  if (url === undefined && rotates !== true) return { item: { shown_url: shownAs(format, before) } };
  const ref = webhookRefOf(before);
  const opened = await openWebhookSecrets(deps, ref, before);
  if (url !== undefined && url !== opened.url) checkUrl(deps.settings, url);
  const moved: WebhookSecrets = { ...opened, ...(url !== undefined && { url }) };
  const secrets = rotates === true ? rotated(moved, deps.clock.now()) : moved;
  const until = secrets.previous?.until;
  return {
    item: {
      sealed: await sealWebhookSecrets(deps, ref, secrets),
      shown_url: url === undefined ? shownAs(format, before) : shownUrl(url, format),
      ...(until !== undefined && { previous_secret_until: new Date(until).toISOString() }),
    },
    ...(rotates === true && { secret: secrets.secret }),
  };
}

/** What was masked stays so: another format must not show it. */
const shownAs = (format: Webhook['format'], { shown_url: shown }: Webhook): string =>
  format === 'slack' ? shownUrl(shown, format) : shown;

/** What else is written when a webhook is disabled, or begins again. */
async function switched(
  { table, clock }: PatchDeps,
  before: Webhook,
  after: Webhook,
  from: number | undefined,
): Promise<Write[]> {
  const { tenant_id: tenantId, id } = before;
  const isOn = after.disabled === undefined;
  if (isOn === (before.disabled === undefined)) return [];
  const feed = await findFeedCount(table, tenantId);
  if (!isOn) return [changeFollowers(tenantId, feed, { remove: id })];
  const count = feed?.count ?? 0;
  checkAfter(from ?? 0, count);
  return [
    changeFollowers(tenantId, feed, { add: id }),
    putCursor(webhookRefOf(before), from ?? count, clock.now()),
  ];
}
