import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { open, seal } from '../../adapters/envelope.ts';
import type { KeyContext } from '../../adapters/keys.ts';
import type { Deps } from '../../core/deps.ts';
import type { Webhook } from './items.ts';
import type { WebhookRef } from './store.ts';

/** What Standard Webhooks recommends at least. */
const SECRET_BYTES = 32;
/** For so long deliveries carry signatures of both secrets, so that receivers can change theirs. */
export const OVERLAP_MILLISECONDS = 24 * 60 * 60_000;

const stored = z.object({
  url: z.string(),
  secret: z.string(),
  previous: z.object({ secret: z.string(), until: z.number() }).optional(),
});
export type WebhookSecrets = z.infer<typeof stored>;

export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/** Ciphertext opens only for the webhook it was made for. */
const contextOf = ({ tenantId, webhookId }: WebhookRef): KeyContext => ({
  tenant: tenantId,
  webhook: webhookId,
});

export const sealWebhookSecrets = (
  deps: Pick<Deps, 'keys'>,
  ref: WebhookRef,
  secrets: WebhookSecrets,
): Promise<string> => seal(deps.keys, JSON.stringify(secrets), contextOf(ref));

/** Callers never log nor store what they are given. */
export async function openWebhookSecrets(
  deps: Pick<Deps, 'keys'>,
  ref: WebhookRef,
  { sealed }: Pick<Webhook, 'sealed'>,
): Promise<WebhookSecrets> {
  return stored.parse(JSON.parse(await open(deps.keys, sealed, contextOf(ref))));
}

/** Another secret, and the one that was there for a while beside it. `now`: epoch milliseconds. */
export const rotated = ({ url, secret }: WebhookSecrets, now: number): WebhookSecrets => ({
  url,
  secret: newSecret(),
  previous: { secret, until: now + OVERLAP_MILLISECONDS },
});

/** The secrets that a delivery is signed with now. */
export const signingSecrets = ({ secret, previous }: WebhookSecrets, now: number): string[] =>
  previous !== undefined && now < previous.until ? [secret, previous.secret] : [secret];
