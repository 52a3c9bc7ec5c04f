import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { useList } from '../../data/lists.ts';
import { useCan } from '../../data/permissions.ts';
import { gitHostWord, type Integration } from '../../logic/integration.ts';
import { ListOf } from '../../ui/list-of.tsx';
import { Section } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NewIntegration } from './integration-dialogs.tsx';

const columns: Column<Integration>[] = [
  {
    title: 'Name',
    cell: ({ id, name }) => (
      <Link class="row-link" href={`/connections/integrations/${id}`} data-row>
        {name}
      </Link>
    ),
  },
  { title: 'Host', cell: ({ type, host }) => `${gitHostWord(type)} at ${host}` },
  {
    title: 'Pushes',
    cell: ({ has_webhook_secret: isProved }) =>
      isProved ? 'Are taken' : <span class="quiet">No webhook secret</span>,
  },
  { title: 'Made', cell: ({ created_at }) => <Time at={created_at} /> },
];

/** Access to the repositories of git hosts. */
export function Integrations() {
  const [, go] = useLocation();
  const [isNew, setNew] = useState(false);
  const canWrite = useCan('integrations:write');
  const list = useList('GET /v2/integrations', {});
  return (
    <Section
      id="integrations"
      title="Git integrations"
      beside={
        canWrite && (
          <button type="button" onClick={() => setNew(true)}>
            New integration
          </button>
        )
      }
    >
      <ListOf
        list={list}
        empty={
          <Empty title="There is no integration.">
            <p class="quiet">With one, private repositories can be deployed, and a push deploys by itself.</p>
          </Empty>
        }
      >
        {(rows) => <Table label="Git integrations" rows={rows} keyOf={({ id }) => id} columns={columns} />}
      </ListOf>
      {isNew && (
        <NewIntegration
          onClose={() => setNew(false)}
          onDone={({ id }) => go(`/connections/integrations/${id}`)}
        />
      )}
    </Section>
  );
}
