import { useState } from 'preact/hooks';
import type { Webhook } from '../../../lib/client/endpoints.ts';
import type { Delivery } from '../../logic/webhook.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { ChoiceField, TextField } from '../../ui/field.tsx';

type Props = { webhook: Webhook; onClose: () => void };

const PATCH = 'PATCH /v2/webhooks/{webhook_id}';

/** Sends an event that says nothing, to see what comes of it. */
export const TestWebhook = ({ webhook: { id, name, url }, onClose }: Props) => (
  <ActionDialog
    title={`Test ${name}?`}
    verb="Send a test"
    endpoint="POST /v2/webhooks/{webhook_id}/test"
    parts={{ params: { webhook_id: id } }}
    onClose={onClose}
  >
    <p>
      Sends one event of the type <code>webhook.test</code> to <code>{url}</code>. The list of deliveries
      shows the answer.
    </p>
  </ActionDialog>
);

/** Sends the event of a delivery once more. */
export const Redeliver = ({ webhook, delivery, onClose }: Props & { delivery: Delivery }) => (
  <ActionDialog
    title={`Send ${delivery.event_type} again?`}
    verb="Send again"
    endpoint="POST /v2/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver"
    parts={{ params: { webhook_id: webhook.id, delivery_id: delivery.id } }}
    onClose={onClose}
  >
    <p>
      It is sent once, outside the order of other events, with the same <code>webhook-id</code>. A receiver
      that already took it can ignore it.
    </p>
  </ActionDialog>
);

/** Stops what is delivered. */
export const DisableWebhook = ({ webhook: { id, name }, onClose }: Props) => (
  <ActionDialog
    title={`Disable ${name}?`}
    verb="Disable"
    isDanger
    endpoint={PATCH}
    parts={{ params: { webhook_id: id }, body: { status: 'DISABLED' } }}
    onClose={onClose}
  >
    <p>No more events are sent to it, and events that wait for it are dropped.</p>
  </ActionDialog>
);

type From = 'now' | 'after';

/** Begins to deliver again, from now on or from where it has stopped. */
export function EnableWebhook({ webhook, after, onClose }: Props & { after: number | undefined }) {
  const [from, setFrom] = useState<From>('now');
  const [number, setNumber] = useState(String(after ?? 0));
  const body = {
    status: 'ENABLED' as const,
    ...(from === 'after' && number !== '' && { after: Number(number) }),
  };
  return (
    <ActionDialog
      title={`Enable ${webhook.name} again?`}
      verb="Enable"
      endpoint={PATCH}
      parts={{ params: { webhook_id: webhook.id }, body }}
      onClose={onClose}
    >
      <ChoiceField
        label="Which events"
        of="status"
        value={from}
        set={setFrom}
        choices={[
          ['now', 'New events only'],
          ['after', 'Every event after a number'],
        ]}
      />
      {from === 'after' && (
        <TextField
          label="Number of the last event that arrived"
          of="after"
          type="number"
          hint="Events are kept for 30 days. 0 sends all of them."
          value={number}
          set={setNumber}
          isRequired
        />
      )}
    </ActionDialog>
  );
}

/** Deletes a webhook with its secret. */
export const DeleteWebhook = ({ webhook: { id, name }, onClose, onDone }: Props & { onDone: () => void }) => (
  <ActionDialog
    title={`Delete ${name}?`}
    verb="Delete"
    isDanger
    endpoint="DELETE /v2/webhooks/{webhook_id}"
    parts={{ params: { webhook_id: id } }}
    onClose={onClose}
    onDone={onDone}
  >
    <p>Its secret is deleted, and events that wait for it are dropped. This cannot be undone.</p>
  </ActionDialog>
);
