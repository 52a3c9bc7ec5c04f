import type { Answer } from '../../adapters/outbound/webhook-sender.ts';
import { type Delivery, deliveryTtl } from '../../store/webhooks/deliveries.ts';
import { refOf, type Webhook } from '../../store/webhooks/webhooks.ts';
import type { Deps } from '../deps.ts';
import { bodyOf, type Sent } from './body.ts';
import { openSecrets, signingSecrets, type WebhookSecrets } from './sealed.ts';

type AttemptDeps = Pick<Deps, 'clock' | 'keys' | 'webhookSender'>;

/** What came of an attempt, and its record. `gone`: the receiver wants no more of them. */
export type Attempt = { result: 'delivered' | 'failed' | 'gone'; record: Delivery };

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
    const record: Delivery = {
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
      const secrets = openSecrets(this.#deps, refOf(webhook), webhook);
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
