import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { ListedDeployment, Listener } from '../../../lib/client/endpoints.ts';
import { useAnswer, useList } from '../../data/lists.ts';
import { useCan } from '../../data/permissions.ts';
import { PREFIX } from '../../data/place.ts';
import {
  capacityOf,
  isBuiltIn,
  isOfCluster,
  kindOf,
  meaningOf,
  platformsOf,
  podSecurityOf,
  startCommand,
} from '../../logic/listener.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { ListOf } from '../../ui/list-of.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { NewestStatus, Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NewKey } from '../access/key-dialogs.tsx';
import { ChangeListener, DeleteListener } from './listener-dialogs.tsx';

/** A listener: whether it is there, what it runs, and how it is started. */
export function ListenerPage({ id }: { id: string }) {
  const { data, error, refetch } = useAnswer('GET /v2/listeners/{listener_id}', {
    params: { listener_id: id },
  });
  return (
    <Page
      title={data?.compute_id ?? 'Listener'}
      above={{ title: 'Listeners', path: '/listeners' }}
      permissions={['listeners:read']}
      head={{
        badge: data !== undefined && <Status of={data.status} isBadge />,
        under: data !== undefined && <p class="dim">{meaningOf(data)}</p>,
        actions: data !== undefined && <Actions listener={data} />,
      }}
    >
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton />}
      {data !== undefined && (
        <>
          {data.warnings.map((warning) => (
            <p key={warning} class="problem" role="note">
              {warning}
            </p>
          ))}
          <Facts facts={factsOf(data)} />
          <Deployments listenerId={id} />
          <Start listener={data} />
        </>
      )}
    </Page>
  );
}

const factsOf = (listener: Listener): Fact[] => [
  ['Kind', kindOf(listener)],
  ['Version', listener.version],
  ['Platform', listener.platform],
  ['Builds for', platformsOf(listener).join(', ')],
  ['Namespaces', listener.compute_config.k8s_namespaces.join(', ')],
  ['Pod security', isOfCluster(listener) ? podSecurityOf(listener) : null],
  ['Default', listener.is_default ? 'Yes' : 'No'],
  ['Last seen', listener.last_seen_at === null ? 'Never' : <Time at={listener.last_seen_at} />],
  ['Balancer', capacityOf(listener)],
  ['Registered', <Time key="registered" at={listener.created_at} />],
  ['Id', <Copy key="id" text={listener.id} label="Copy id" />],
];

function Actions({ listener }: { listener: Listener }) {
  const canWrite = useCan('listeners:write');
  const [, go] = useLocation();
  const [open, setOpen] = useState<'change' | 'delete'>();
  const close = () => setOpen(undefined);
  if (!canWrite) return null;
  return (
    <>
      <Button onClick={() => setOpen('change')}>Change</Button>
      {!isBuiltIn(listener) && (
        <Button kind="danger" onClick={() => setOpen('delete')}>
          Delete
        </Button>
      )}
      {open === 'change' && <ChangeListener listener={listener} onClose={close} />}
      {open === 'delete' && (
        <DeleteListener listener={listener} onClose={close} onDone={() => go('/listeners')} />
      )}
    </>
  );
}

const columns: Column<ListedDeployment>[] = [
  {
    title: 'Name',
    cell: ({ id, name, display_name }) => (
      <Link class="row-link" href={`/deployments/${id}`} data-row>
        {display_name ?? name}
      </Link>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status of={status} /> },
  {
    title: 'Newest revision',
    cell: ({ latest_revision: newest }) => <NewestStatus of={newest} />,
  },
  { title: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} /> },
];

function Deployments({ listenerId }: { listenerId: string }) {
  const list = useList('GET /v2/deployments', {
    query: { listener_id: listenerId, include: ['latest_revision'] },
  });
  return (
    <Section id="runs" title="Deployments">
      <ListOf list={list} empty={<Empty title="Nothing is deployed here" />}>
        {(rows) => <Table label="Deployments" rows={rows} keyOf={({ id }) => id} columns={columns} />}
      </ListOf>
    </Section>
  );
}

function Start({ listener }: { listener: Listener }) {
  const canMakeKeys = useCan('keys:write');
  const [isNew, setNew] = useState(false);
  const command = startCommand(listener, location.origin + PREFIX);
  if (command === null) return null;
  return (
    <Section
      id="start"
      title="Start this listener"
      beside={
        canMakeKeys && (
          <button type="button" onClick={() => setNew(true)}>
            Create its key
          </button>
        )
      }
    >
      <p class="dim">
        Run this in a clone of the Slipway repository, with a key of the role Listener in{' '}
        <code>LISTENER_KEY</code>.
      </p>
      <pre class="command">{command}</pre>
      <Copy text={command} label="Copy the command" />
      {isNew && <NewKey listener={listener} onClose={() => setNew(false)} />}
    </Section>
  );
}
