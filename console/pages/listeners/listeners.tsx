import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { Listener } from '../../../lib/client/endpoints.ts';
import { useList } from '../../data/lists.ts';
import { useCan } from '../../data/permissions.ts';
import { kindOf } from '../../logic/listener.ts';
import { ListOf } from '../../ui/list-of.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NewListener } from './listener-dialogs.tsx';

/** Where deployments run. */
export function Listeners() {
  const [, go] = useLocation();
  const [isNew, setNew] = useState(false);
  const canWrite = useCan('listeners:write');
  const list = useList('GET /v2/listeners', {}, { isMoving: ({ status }) => status === 'NEVER_SEEN' });
  return (
    <Page
      title="Listeners"
      permissions={['listeners:read']}
      beside={
        canWrite && (
          <button type="button" class="primary" onClick={() => setNew(true)}>
            New listener
          </button>
        )
      }
    >
      <ListOf list={list} empty={<None />}>
        {(rows) => <Table label="Listeners" rows={rows} keyOf={({ id }) => id} columns={columns} />}
      </ListOf>
      {isNew && <NewListener onClose={() => setNew(false)} onDone={({ id }) => go(`/listeners/${id}`)} />}
    </Page>
  );
}

const None = () => (
  <Empty title="There is no listener yet.">
    <p class="quiet">
      A listener runs what is deployed: on a machine, or in a Kubernetes cluster. Without one nothing can be
      deployed.
    </p>
  </Empty>
);

const columns: Column<Listener>[] = [
  {
    title: 'Name',
    cell: ({ id, compute_id, is_default }) => (
      <>
        <Link class="row-link" href={`/listeners/${id}`} data-row>
          {compute_id}
        </Link>{' '}
        {is_default && <span class="badge">Default</span>}
      </>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status of={status} /> },
  { title: 'Kind', cell: kindOf },
  { title: 'Platform', cell: ({ platform }) => platform ?? <span class="quiet">Unknown</span> },
  { title: 'Version', cell: ({ version }) => version ?? <span class="quiet">Unknown</span> },
  {
    title: 'Last seen',
    cell: ({ last_seen_at: at }) => (at === null ? 'Never' : <Time at={at} />),
  },
];
