import type { PublishedEvent } from '../../contract/events.ts';
import type { WebhookFormat } from '../../contract/webhooks.ts';

/** What is sent: an event under its number in the feed, or a test. */
export type Sent =
  | (PublishedEvent & { number: number })
  | { id: string; type: 'webhook.test'; at: string; tenant_id: string; webhook_id: string };

/** The body of a message; well under 20 kB, for events hold ids and states. */
export function bodyOf(event: Sent, format: WebhookFormat): string {
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
