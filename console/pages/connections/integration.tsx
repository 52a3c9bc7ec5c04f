import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { numberOf } from '../../../lib/client/revision.ts';
import { useAll, useList } from '../../data/lists.ts';
import { useCan } from '../../data/permissions.ts';
import { PREFIX } from '../../data/place.ts';
import { hostGuides } from '../../logic/hosts.ts';
import {
  branchOf,
  type Delivery,
  gitHostWord,
  type Integration,
  pushAddress,
} from '../../logic/integration.ts';
import { shortId } from '../../logic/short-id.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { triangleAlert } from '../../ui/icons.ts';
import { ListOf } from '../../ui/list-of.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { useParameters } from '../../ui/parameters.ts';
import { Empty } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Steps } from './host-guide.tsx';
import { ChangeIntegration, DeleteIntegration } from './integration-dialogs.tsx';
import { IntegrationTest } from './integration-test.tsx';

/** An integration: how its host reports pushes, what came from there, and what that made. */
export function IntegrationPage({ id }: { id: string }) {
  // No endpoint has a single one; its deliveries say whether it is there.
  const { data: all } = useAll('GET /v2/integrations', {});
  const [search] = useParameters();
  const found = all?.find((each) => each.id === id);
  const list = useList('GET /v2/integrations/{integration_id}/deliveries', {
    params: { integration_id: id },
  });
  return (
    <Page
      title={found?.name ?? 'Integration'}
      above={{ title: 'Integrations', path: '/connections' }}
      permissions={['integrations:read']}
      beside={found !== undefined && <Actions integration={found} />}
    >
      {found !== undefined && <Facts facts={factsOf(found)} />}
      {found !== undefined && <IntegrationTest id={id} isAsked={search.get('test') !== null} />}
      {found !== undefined && <Pushes integration={found} />}
      <Section id="came" title="Deliveries">
        <ListOf
          list={list}
          empty={
            <Empty title="No delivery came in the last 30 days">
              <p class="dim">Set up the webhook with the steps above, then push something.</p>
            </Empty>
          }
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
  ['Webhook secret', integration.has_webhook_secret ? 'Stored, never shown' : 'None'],
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
      <Button onClick={() => setOpen('change')}>Change</Button>
      <Button kind="danger" onClick={() => setOpen('delete')}>
        Delete
      </Button>
      {open === 'change' && <ChangeIntegration {...given} />}
      {open === 'delete' && <DeleteIntegration {...given} onDone={() => go('/connections')} />}
    </div>
  );
}

/** Where the host sends pushes to, and how that is set up there. */
function Pushes({ integration }: { integration: Integration }) {
  const address = pushAddress(integration, location.origin + PREFIX);
  const guide = hostGuides[integration.type];
  return (
    <Section id="pushes" title="Deploy on push">
      {!integration.has_webhook_secret && (
        <Notice icon={triangleAlert} tone="warn">
          Pushes are refused until a webhook secret is stored: add one with Change.
        </Notice>
      )}
      <Steps steps={guide.webhookSteps} />
      <p class="meta">
        The secret was shown when the host was connected. If you have it no longer, store another one with
        Change.
      </p>
      <pre class="command">{address}</pre>
      <div class="line">
        <Copy text={address} label="Copy the address" />
      </div>
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
