import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { Webhook } from '../../../lib/client/endpoints.ts';
import { useList } from '../../data/lists.ts';
import { useCan } from '../../data/permissions.ts';
import { deliveredWords, formatWord } from '../../logic/webhook.ts';
import { ListOf } from '../../ui/list-of.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NewWebhook } from './webhook-form.tsx';

const columns: Column<Webhook>[] = [
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
    cell: ({ status, disabled_reason: reason }) => (
      <>
        <Status of={status} />
        {reason !== null && <span class="reason-text">{reason}</span>}
      </>
    ),
  },
  { title: 'Delivers', cell: deliveredWords },
  { title: 'Format', cell: ({ format }) => formatWord(format) },
  { title: 'Made', cell: ({ created_at }) => <Time at={created_at} /> },
];

/** The addresses that events are delivered to. */
export function Webhooks() {
  const [, go] = useLocation();
  const [isNew, setNew] = useState(false);
  const canWrite = useCan('webhooks:write');
  const list = useList('GET /v2/webhooks', {});
  return (
    <Page
      title="Webhooks"
      permissions={['webhooks:read']}
      beside={
        canWrite && (
          <button type="button" class="primary" onClick={() => setNew(true)}>
            New webhook
          </button>
        )
      }
    >
      <p class="quiet">
        A webhook is an address that is sent what happens here, as it happens: that a revision was deployed or
        has failed, that a listener has gone.
      </p>
      <ListOf list={list} empty={<Empty title="There is no webhook yet." />}>
        {(rows) => <Table label="Webhooks" rows={rows} keyOf={({ id }) => id} columns={columns} />}
      </ListOf>
      {isNew && <NewWebhook onClose={() => setNew(false)} onStored={(id) => go(`/webhooks/${id}`)} />}
    </Page>
  );
}
