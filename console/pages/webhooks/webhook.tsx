import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { Webhook } from '../../../lib/client/endpoints.ts';
import { useAttention } from '../../data/activity.ts';
import { useAnswer, useList } from '../../data/lists.ts';
import { useCan } from '../../data/permissions.ts';
import { effectsOf } from '../../logic/happened.ts';
import { duration } from '../../logic/time.ts';
import {
  type Delivery,
  deliveredWords,
  formatWord,
  lastDelivered,
  webhookLook,
} from '../../logic/webhook.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { ListOf } from '../../ui/list-of.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { Standing, Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { DeleteWebhook, DisableWebhook, EnableWebhook, Redeliver, TestWebhook } from './webhook-dialogs.tsx';
import { ChangeWebhook, RotateSecret } from './webhook-form.tsx';

/** A webhook: whether it delivers and why not, what it was sent, and what can be done about it. */
export function WebhookPage({ id }: { id: string }) {
  const params = { webhook_id: id };
  const { data, error, refetch } = useAnswer('GET /v2/webhooks/{webhook_id}', { params });
  const list = useList(
    'GET /v2/webhooks/{webhook_id}/deliveries',
    { params },
    { isEnabled: data !== undefined, isMoving: ({ result }) => result === 'PENDING' },
  );
  const effect = effectsOf(useAttention().data?.resources ?? [], 'webhook_failing').get(id);
  const reason = data?.disabled_reason ?? effect;
  return (
    <Page
      title={data?.name ?? 'Webhook'}
      above={{ title: 'Webhooks', path: '/webhooks' }}
      permissions={['webhooks:read']}
      head={{
        badge: data !== undefined && <Standing of={webhookLook(data, effect)} isBadge />,
        under: data !== undefined && data.disabled_at !== null && (
          <p class="dim">
            Disabled <Time at={data.disabled_at} />
          </p>
        ),
        actions: data !== undefined && <Actions webhook={data} after={lastDelivered(list.rows ?? [])} />,
      }}
    >
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton />}
      {data !== undefined && (
        <>
          {reason !== undefined && <p class="reason">{reason}</p>}
          <Facts facts={factsOf(data)} />
          <Section id="deliveries" title="Deliveries">
            <ListOf list={list} empty={<Empty title="Nothing was sent in the last 30 days" />}>
              {(rows) => <Deliveries webhook={data} deliveries={rows} />}
            </ListOf>
          </Section>
        </>
      )}
    </Page>
  );
}

const factsOf = (webhook: Webhook): Fact[] => [
  ['Address', <code key="url">{webhook.url}</code>],
  ['Sends', deliveredWords(webhook)],
  ['Events', webhook.event_types?.join(', ')],
  [
    'Deployments',
    webhook.deployment_ids?.map((id) => (
      <Link key={id} class="url" href={`/deployments/${id}`}>
        {id}
      </Link>
    )),
  ],
  ['Format', formatWord(webhook.format)],
  [
    'Old secret valid until',
    webhook.previous_secret_until !== null && new Date(webhook.previous_secret_until).toLocaleString(),
  ],
  ['Created', <Time key="made" at={webhook.created_at} />],
  ['Id', <Copy key="id" text={webhook.id} label="Copy id" />],
];

type Open = 'test' | 'enable' | 'disable' | 'change' | 'rotate' | 'delete';

function Actions({ webhook, after }: { webhook: Webhook; after: number | undefined }) {
  const canWrite = useCan('webhooks:write');
  const [, go] = useLocation();
  const [open, setOpen] = useState<Open>();
  if (!canWrite) return null;
  const isEnabled = webhook.status === 'ENABLED';
  const offered: [Open, string][] = [
    isEnabled ? ['test', 'Test'] : ['enable', 'Enable again'],
    ['change', 'Change'],
    ['rotate', 'Rotate secret'],
    ...(isEnabled ? [['disable', 'Disable'] satisfies [Open, string]] : []),
    ['delete', 'Delete'],
  ];
  const given = { webhook, onClose: () => setOpen(undefined) };
  return (
    <>
      {offered.map(([kind, word]) => (
        <Button
          key={kind}
          kind={kind === 'delete' ? 'danger' : kind === 'enable' ? 'primary' : 'plain'}
          onClick={() => setOpen(kind)}
        >
          {word}
        </Button>
      ))}
      {open === 'test' && <TestWebhook {...given} />}
      {open === 'enable' && <EnableWebhook {...given} after={after} />}
      {open === 'disable' && <DisableWebhook {...given} />}
      {open === 'change' && <ChangeWebhook {...given} />}
      {open === 'rotate' && <RotateSecret {...given} />}
      {open === 'delete' && <DeleteWebhook {...given} onDone={() => go('/webhooks')} />}
    </>
  );
}

const deliveryColumns: Column<Delivery>[] = [
  {
    title: 'Event',
    cell: ({ event_type, event_number: number, requested }) => (
      <>
        <strong>{event_type}</strong> {requested && <span class="quiet small">on request</span>}
        {number !== null && <span class="url quiet">Number {number}</span>}
      </>
    ),
  },
  {
    title: 'Result',
    cell: ({ result, reason }) => (
      <>
        <Status of={result} />
        {reason !== null && <span class="reason-text">{reason}</span>}
      </>
    ),
  },
  { title: 'Answer', cell: ({ status_code: status }) => status ?? <span class="quiet">None</span> },
  { title: 'Took', cell: ({ duration_ms: spent }) => spent !== null && duration(spent) },
  {
    title: 'Next attempt',
    cell: ({ next_attempt_at: at }) => at !== null && Date.parse(at) > Date.now() && <Time at={at} />,
  },
  { title: 'At', cell: ({ at }) => <Time at={at} /> },
];

function Deliveries({ webhook, deliveries }: { webhook: Webhook; deliveries: readonly Delivery[] }) {
  const canWrite = useCan('webhooks:write') === true && webhook.status === 'ENABLED';
  const [chosen, setChosen] = useState<Delivery>();
  return (
    <>
      <Table
        label="Deliveries"
        rows={deliveries}
        keyOf={({ id }) => id}
        columns={deliveryColumns}
        actions={
          canWrite
            ? (delivery) => (
                <button
                  type="button"
                  aria-label={`Send again: ${delivery.event_type}`}
                  onClick={() => setChosen(delivery)}
                >
                  Send again
                </button>
              )
            : undefined
        }
      />
      {chosen !== undefined && (
        <Redeliver webhook={webhook} delivery={chosen} onClose={() => setChosen(undefined)} />
      )}
    </>
  );
}
