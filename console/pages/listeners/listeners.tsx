import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { Listener } from '../../../lib/client/endpoints.ts';
import { useAttention } from '../../data/activity.ts';
import { useList } from '../../data/lists.ts';
import { useCan } from '../../data/permissions.ts';
import { effectsOf } from '../../logic/happened.ts';
import { kindOf } from '../../logic/listener.ts';
import { Tag } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { plus } from '../../ui/icons.ts';
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
  const effects = effectsOf(useAttention().data?.resources ?? [], 'listener_offline');
  const list = useList('GET /v2/listeners', {}, { isMoving: ({ status }) => status === 'NEVER_SEEN' });
  return (
    <Page
      title="Listeners"
      permissions={['listeners:read']}
      beside={
        canWrite && (
          <Button kind="primary" icon={plus} onClick={() => setNew(true)}>
            New listener
          </Button>
        )
      }
    >
      <ListOf list={list} empty={<None />}>
        {(rows) => (
          <Table label="Listeners" rows={rows} keyOf={({ id }) => id} columns={columnsFor(effects)} />
        )}
      </ListOf>
      {isNew && <NewListener onClose={() => setNew(false)} onDone={({ id }) => go(`/listeners/${id}`)} />}
    </Page>
  );
}

const None = () => (
  <Empty title="No listeners yet" picture="deploy">
    <p class="dim">
      A listener runs your deployments on a machine or in a Kubernetes cluster. Start one to deploy.
    </p>
  </Empty>
);

/** `effects`: what each listener that is away keeps waiting, by its id. */
const columnsFor = (effects: ReadonlyMap<string, string>): Column<Listener>[] => [
  {
    title: 'Name',
    cell: ({ id, compute_id, is_default }) => (
      <>
        <Link class="row-link" href={`/listeners/${id}`} data-row>
          {compute_id}
        </Link>{' '}
        {is_default && <Tag>Default</Tag>}
      </>
    ),
  },
  {
    title: 'Status',
    cell: ({ id, status }) => (
      <>
        <Status of={status} />
        {effects.has(id) && <span class="reason-text">{effects.get(id)}</span>}
      </>
    ),
  },
  { title: 'Kind', cell: kindOf },
  { title: 'Platform', cell: ({ platform }) => platform ?? <span class="quiet">Unknown</span> },
  { title: 'Version', cell: ({ version }) => version ?? <span class="quiet">Unknown</span> },
  {
    title: 'Last seen',
    cell: ({ last_seen_at: at }) => (at === null ? 'Never' : <Time at={at} />),
  },
];
