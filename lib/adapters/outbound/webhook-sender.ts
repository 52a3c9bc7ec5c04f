import { Webhook } from 'standardwebhooks';
import type { AddressRules } from './addresses.ts';
import { AddressRefused, createGuardedFetch } from './guarded-fetch.ts';

/** A receiver that takes longer has failed: it should answer first and work afterwards. */
const TIMEOUT_SECONDS = 15;
/** Nothing in an answer but its status is read. */
const ANSWER_BYTES_MAX = 64 * 1024;

export type Message = {
  url: string;
  /** The `webhook-id`: the same in every attempt. */
  id: string;
  /** When this attempt is made, in epoch milliseconds. */
  at: number;
  body: string;
  /** `whsec_…`; the message is signed with each. */
  secrets: readonly string[];
};

/** `reason`: why there is no status, in words for whoever named the address. */
export type Answer = { status: number } | { reason: string };

/** Sends signed messages to addresses that requests have named. */
export type WebhookSender = { send(message: Message): Promise<Answer> };

/** Signs as Standard Webhooks says, sends once, follows no redirect. `send` never throws. */
export function openWebhookSender(
  rules: AddressRules,
  { timeoutSeconds = TIMEOUT_SECONDS } = {},
): WebhookSender {
  const fetch = createGuardedFetch(rules, { timeoutSeconds, sizeBytesMax: ANSWER_BYTES_MAX });
  return {
    async send({ url, id, at, body, secrets }) {
      const signatures = secrets.map((secret) => new Webhook(secret).sign(id, new Date(at), body));
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Slipway-Webhooks/1',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at / 1000)),
        'webhook-signature': signatures.join(' '),
      };
      try {
        const answer = await fetch(url, { method: 'POST', headers, body });
        await answer.body?.cancel();
        return { status: answer.status };
      } catch (error) {
        return { reason: reasonOf(error, timeoutSeconds) };
      }
    },
  };
}

/** Never the address: it may be a secret. */
function reasonOf(error: unknown, timeoutSeconds: number): string {
  if (error instanceof AddressRefused) return `The address is refused: ${error.message}.`;
  if (!(error instanceof Error)) return 'The connection failed.';
  if (error.name === 'TimeoutError') return `No answer came within ${timeoutSeconds} s.`;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return `The connection failed: ${code}.`;
}
