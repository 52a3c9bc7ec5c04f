import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { numberOf } from '../../../lib/client/revision.ts';
import { useAll, useList } from '../../data/lists.ts';
import { useCan } from '../../data/permissions.ts';
import { PREFIX } from '../../data/place.ts';
import {
  branchOf,
  type Delivery,
  gitHostWord,
  type Integration,
  pushAddress,
} from '../../logic/integration.ts';
import { shortId } from '../../logic/short-id.ts';
import { Copy } from '../../ui/copy.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { ListOf } from '../../ui/list-of.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ChangeIntegration, DeleteIntegration } from './integration-dialogs.tsx';

/** An integration: how its host reports pushes, what came from there, and what that made. */
export function IntegrationPage({ id }: { id: string }) {
  // No endpoint has a single one; its deliveries say whether it is there.
  const { data: all } = useAll('GET /v2/integrations', {});
  const found = all?.find((each) => each.id === id);
  const list = useList('GET /v2/integrations/{integration_id}/deliveries', {
    params: { integration_id: id },
  });
  return (
    <Page
      title={found?.name ?? 'Integration'}
      above={{ title: 'Connections', path: '/connections' }}
      permissions={['integrations:read']}
      beside={found !== undefined && <Actions integration={found} />}
    >
      {found !== undefined && <Facts facts={factsOf(found)} />}
      {found !== undefined && <Pushes integration={found} />}
      <Section id="came" title="What came from there">
        <ListOf
          list={list}
          empty={<Empty title="Nothing came in the last 30 days. Is the webhook set at the host?" />}
        >
          {(rows) => <Table label="Deliveries" rows={rows} keyOf={({ id: key }) => key} columns={columns} />}
        </ListOf>
      </Section>
    </Page>
  );
}

const factsOf = (integration: Integration): Fact[] => [
  ['Git host', gitHostWord(integration.type)],
  ['Host', integration.host],
  ['Token', 'Stored, never shown'],
  ['Webhook secret', integration.has_webhook_secret ? 'Stored, never shown' : 'None: pushes are refused'],
  ['Submodules', integration.submodules ? 'Get the token on the same host' : 'Do not get the token'],
  ['Made', <Time key="made" at={integration.created_at} />],
  ['Id', <Copy key="id" text={integration.id} label="Copy id" />],
];

function Actions({ integration }: { integration: Integration }) {
  const canWrite = useCan('integrations:write');
  const [, go] = useLocation();
  const [open, setOpen] = useState<'change' | 'delete'>();
  const given = { integration, onClose: () => setOpen(undefined) };
  if (!canWrite) return null;
  return (
    <div class="row-actions">
      <button type="button" onClick={() => setOpen('change')}>
        Change
      </button>
      <button type="button" class="danger" onClick={() => setOpen('delete')}>
        Delete
      </button>
      {open === 'change' && <ChangeIntegration {...given} />}
      {open === 'delete' && <DeleteIntegration {...given} onDone={() => go('/connections')} />}
    </div>
  );
}

function Pushes({ integration }: { integration: Integration }) {
  const address = pushAddress(integration, location.origin + PREFIX);
  return (
    <Section id="pushes" title="Deploy on push">
      <p class="quiet">
        Set this as the address of a webhook at the host, with JSON as content type, the same secret as here,
        and pushes as events. Deployments with <code>build_on_push</code> on the pushed branch get a revision.
      </p>
      <pre class="command">{address}</pre>
      <Copy text={address} label="Copy the address" />
    </Section>
  );
}

const columns: Column<Delivery>[] = [
  {
    title: 'Event',
    cell: ({ event, delivery_id: id }) => (
      <>
        <strong>{event}</strong>
        <span class="url quiet">{id}</span>
      </>
    ),
  },
  { title: 'Repository', cell: ({ repository }) => repository !== null && <code>{repository}</code> },
  { title: 'Branch', cell: ({ ref }) => ref !== null && <code>{branchOf(ref)}</code> },
  { title: 'What it made', cell: (delivery) => <Outcomes delivery={delivery} /> },
  { title: 'At', cell: ({ at }) => <Time at={at} /> },
];

const Outcomes = ({ delivery: { outcomes, reason } }: { delivery: Delivery }) => (
  <>
    {reason !== null && <span class="quiet">{reason}</span>}
    {outcomes.map(({ deployment_id: id, revision_id: revision, reason: why }) => (
      <span key={id} class="url">
        {revision === null ? (
          <>
            <Link href={`/deployments/${id}`}>Deployment {shortId(id)}</Link>:{' '}
            {why ?? 'waits for a look at the branch'}
          </>
        ) : (
          <Link href={`/deployments/${id}/revisions/${revision}`}>Revision {numberOf(revision)}</Link>
        )}
      </span>
    ))}
  </>
);
