import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { Webhook } from '../../../lib/client/endpoints.ts';
import { useAttention } from '../../data/activity.ts';
import { useList } from '../../data/lists.ts';
import { useCan } from '../../data/permissions.ts';
import { effectsOf } from '../../logic/happened.ts';
import { deliveredWords, formatWord, webhookLook } from '../../logic/webhook.ts';
import { Button } from '../../ui/button.tsx';
import { plus } from '../../ui/icons.ts';
import { ListOf } from '../../ui/list-of.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Standing } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { TestWebhook } from './webhook-dialogs.tsx';
import { NewWebhook } from './webhook-form.tsx';

/** `effects`: what the receiver of each that fails said last, by its id. */
const columnsFor = (effects: ReadonlyMap<string, string>): Column<Webhook>[] => [
  {
    title: 'Name',
    cell: ({ id, name, url }) => (
      <>
        <Link class="row-link" href={`/webhooks/${id}`} data-row>
          {name}
        </Link>
        <span class="url quiet">{url}</span>
      </>
    ),
  },
  {
    title: 'Status',
    cell: (webhook) => {
      const { id, disabled_reason: reason } = webhook;
      const effect = reason ?? effects.get(id);
      return (
        <>
          <Standing of={webhookLook(webhook, effects.get(id))} />
          {effect !== undefined && <span class="reason-text">{effect}</span>}
        </>
      );
    },
  },
  { title: 'Sends', cell: deliveredWords },
  { title: 'Format', cell: ({ format }) => formatWord(format) },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
];

/** The addresses that events are delivered to. */
export function Webhooks() {
  const [, go] = useLocation();
  const [isNew, setNew] = useState(false);
  const [tested, setTested] = useState<Webhook>();
  const canWrite = useCan('webhooks:write');
  const effects = effectsOf(useAttention().data?.resources ?? [], 'webhook_failing');
  const list = useList('GET /v2/webhooks', {});
  return (
    <Page
      title="Webhooks"
      permissions={['webhooks:read']}
      beside={
        canWrite && (
          <Button kind="primary" icon={plus} onClick={() => setNew(true)}>
            New webhook
          </Button>
        )
      }
    >
      <p class="dim">
        Slipway sends events to these addresses as they happen: deploys, failures, listeners that go offline.
      </p>
      <ListOf
        list={list}
        empty={
          <Empty title="No webhooks yet" picture="hook">
            <p class="dim">Send deploys and failures to a chat, a pager or a service of your own.</p>
          </Empty>
        }
      >
        {(rows) => (
          <Table
            label="Webhooks"
            rows={rows}
            keyOf={({ id }) => id}
            columns={columnsFor(effects)}
            actions={
              canWrite === true && effects.size > 0
                ? (webhook) =>
                    effects.has(webhook.id) &&
                    webhook.status === 'ENABLED' && (
                      <Button isSmall onClick={() => setTested(webhook)}>
                        Send a test
                      </Button>
                    )
                : undefined
            }
          />
        )}
      </ListOf>
      {tested !== undefined && <TestWebhook webhook={tested} onClose={() => setTested(undefined)} />}
      {isNew && <NewWebhook onClose={() => setNew(false)} onStored={(id) => go(`/webhooks/${id}`)} />}
    </Page>
  );
}
