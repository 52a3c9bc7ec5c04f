import { Link } from 'wouter-preact';
import { useList } from '../../data/lists.ts';
import { useCan } from '../../data/permissions.ts';
import { gitHosts, gitHostWord, type Integration } from '../../logic/integration.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { plus } from '../../ui/icons.ts';
import { ListOf } from '../../ui/list-of.tsx';
import { Section } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

const NEW = '/connections/integrations/new';

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
      isProved ? 'Deployed when the host tells' : <span class="dim">Looked for every five minutes</span>,
  },
  { title: 'Made', cell: ({ created_at }) => <Time at={created_at} /> },
];

/** Access to the repositories of git hosts. */
export function Integrations() {
  const canWrite = useCan('integrations:write');
  const list = useList('GET /v2/integrations', {});
  return (
    <Section
      id="integrations"
      title="Git hosts"
      beside={
        canWrite && (
          <ButtonLink href={NEW} icon={plus}>
            Connect a git host
          </ButtonLink>
        )
      }
    >
      <ListOf
        list={list}
        empty={
          <Empty title="No git host is connected" picture="hook">
            <p class="dim">Connect one to deploy private repositories, and to deploy each push by itself.</p>
            {canWrite && (
              <p class="line wrap">
                {gitHosts.map(([type, title]) => (
                  <ButtonLink key={type} href={`${NEW}?host=${type}`}>
                    {title}
                  </ButtonLink>
                ))}
              </p>
            )}
          </Empty>
        }
      >
        {(rows) => <Table label="Git hosts" rows={rows} keyOf={({ id }) => id} columns={columns} />}
      </ListOf>
    </Section>
  );
}
