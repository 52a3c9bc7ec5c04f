import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { IntegrationType } from '../../contract/integration-types.ts';

/** A request of a git host as it came. Names of headers are in lower case. */
export type Received = { headers: Readonly<Record<string, string | undefined>>; body: Uint8Array };

/**
 * Whether a request proves that its sender has the webhook's secret. Each comparison takes the same time,
 * wherever the texts differ.
 */
export function isSigned(type: IntegrationType, secret: string, received: Received): boolean {
  const { headers } = received;
  switch (type) {
    case 'github':
      return isHex(headers['x-hub-signature-256'], 'sha256=', secret, received);
    case 'bitbucket':
      return isHex(headers['x-hub-signature'], 'sha256=', secret, received);
    case 'gitea':
      return isHex(headers['x-forgejo-signature'] ?? headers['x-gitea-signature'], '', secret, received);
    case 'gitlab':
      return isFromGitLab(secret, received);
  }
}

/** Texts of any lengths are compared by their hashes, which have the same. */
function isSame(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}

function isHex(sent: string | undefined, prefix: string, secret: string, { body }: Received): boolean {
  if (sent === undefined) return false;
  return isSame(sent, `${prefix}${createHmac('sha256', secret).update(body).digest('hex')}`);
}

/** What GitLab's signing tokens begin with, as those of all Standard Webhooks. */
const SIGNING_TOKEN = 'whsec_';

/**
 * GitLab sends a secret token as it is, or signs with a signing token after the Standard Webhooks
 * specification. Where that is what was agreed on, a token alone proves nothing.
 */
function isFromGitLab(secret: string, { headers, body }: Received): boolean {
  if (!secret.startsWith(SIGNING_TOKEN)) return isSame(headers['x-gitlab-token'] ?? '', secret);
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const signed = Object.fromEntries(names.map((name) => [name, headers[name] ?? '']));
  try {
    new Webhook(secret).verify(Buffer.from(body).toString('utf8'), signed);
    return true;
  } catch {
    return false;
  }
}
