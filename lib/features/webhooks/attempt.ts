import type { Answer } from '../../adapters/outbound/webhook-sender.ts';
import type { PublishedEvent } from '../../contract/events.ts';
import type { Deps } from '../../core/deps.ts';
import type { Webhook, WebhookDelivery } from './items.ts';
import { openWebhookSecrets, signingSecrets, type WebhookSecrets } from './secrets.ts';
import type { WebhookFormat } from './shape.ts';
import { deliveryTtl, webhookRefOf } from './store.ts';

type AttemptDeps = Pick<Deps, 'clock' | 'keys' | 'webhookSender'>;

/** What is sent: an event under its number in the feed, or a test. */
export type Sent =
  | (PublishedEvent & { number: number })
  | { id: string; type: 'webhook.test'; at: string; tenant_id: string; webhook_id: string };

/** What came of an attempt, and its record. `gone`: the receiver wants no more of them. */
export type Attempt = { result: 'delivered' | 'failed' | 'gone'; record: WebhookDelivery };

const GONE = 410;
const isSuccess = (status: number): boolean => status >= 200 && status < 300;
const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** Opens the secrets of a webhook once for all attempts that are made with it as it is. */
export class Sender {
  readonly #deps: AttemptDeps;
  #opened: { version: number; secrets: Promise<WebhookSecrets> } | undefined;

  constructor(deps: AttemptDeps) {
    this.#deps = deps;
  }

  /** Sends an event once, signed with the time of this attempt. */
  async attempt(webhook: Webhook, event: Sent): Promise<Attempt> {
    const { clock, webhookSender } = this.#deps;
    const secrets = await this.#secretsOf(webhook);
    const at = clock.now();
    const answer = await webhookSender.send({
      url: secrets.url,
      id: event.id,
      at,
      body: bodyOf(event, webhook.format),
      secrets: signingSecrets(secrets, at),
    });
    const result = resultOf(answer);
    const record: WebhookDelivery = {
      v: 1,
      entity: 'webhook_delivery',
      tenant_id: webhook.tenant_id,
      webhook_id: webhook.id,
      id: clock.orderedId(),
      at: new Date(at).toISOString(),
      event_id: event.id,
      event_type: event.type,
      ...('number' in event && { event_number: event.number }),
      result: result === 'delivered' ? 'DELIVERED' : 'FAILED',
      ...('status' in answer && { status_code: answer.status }),
      ...(result !== 'delivered' && { reason: reasonOf(answer) }),
      duration_ms: Math.max(0, Math.round(clock.now() - at)),
      ttl: deliveryTtl(at),
    };
    return { result, record };
  }

  #secretsOf(webhook: Webhook): Promise<WebhookSecrets> {
    if (this.#opened?.version !== webhook.version) {
      const secrets = openWebhookSecrets(this.#deps, webhookRefOf(webhook), webhook);
      this.#opened = { version: webhook.version, secrets };
    }
    return this.#opened.secrets;
  }
}

function resultOf(answer: Answer): Attempt['result'] {
  if (!('status' in answer)) return 'failed';
  if (answer.status === GONE) return 'gone';
  return isSuccess(answer.status) ? 'delivered' : 'failed';
}

function reasonOf(answer: Answer): string {
  if (!('status' in answer)) return answer.reason;
  if (answer.status === GONE) return 'The receiver answered 410: it wants no more deliveries.';
  const redirect = isRedirect(answer.status)
    ? '; redirects are not followed, so give the address it leads to'
    : '';
  return `The receiver answered ${answer.status}${redirect}.`;
}

/** The body of a message; well under 20 kB, for events hold ids and states. */
function bodyOf(event: Sent, format: WebhookFormat): string {
  if (format === 'json') return JSON.stringify(event);
  if (format === 'slack') return JSON.stringify({ text: escaped(lineOf(event)) });
  return JSON.stringify({ type: event.type, timestamp: event.at, data: event });
}

/** In a message of Slack these three have a meaning. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function lineOf(event: Sent): string {
  switch (event.type) {
    case 'webhook.test':
      return 'Slipway: a test. Events of deployments will be posted here.';
    case 'deployment.created':
      return `Deployment ${event.deployment_id} was created.`;
    case 'deployment.deleted':
      return `Deployment ${event.deployment_id} is deleted.`;
    case 'revision.status_changed':
      return `Deployment ${event.deployment_id}: revision ${event.revision_id} is ${event.status}.`;
    case 'deployment.health_changed':
      return event.healthy === true
        ? `Deployment ${event.deployment_id} is healthy again.`
        : `Deployment ${event.deployment_id} is not healthy. ${event.reason ?? ''}`.trim();
    case 'deployment.threads_expired':
    case 'deployment.threads_released':
      return `Deployment ${event.deployment_id}, revision ${event.revision_id}: ${event.reason}`;
    case 'listener.offline':
      return `Listener ${event.listener_id} is offline.`;
    case 'listener.online':
      return `Listener ${event.listener_id} is online.`;
    case 'webhook.disabled':
      return `Webhook ${event.webhook_id} is disabled. ${event.reason}`;
    default:
      return `OAuth provider ${event.provider_id}: ${event.type} (token ${event.token_id}).`;
  }
}
