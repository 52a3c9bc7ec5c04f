import { Link } from 'wouter-preact';
import { numberOf } from '../../../lib/client/revision.ts';
import { useChoices, useList } from '../../data/lists.ts';
import { useMe } from '../../data/queries.ts';
import { type AuditEvent, actionWord, detailsOf } from '../../logic/audit.ts';
import { shortId } from '../../logic/short-id.ts';
import { ListOf } from '../../ui/list-of.tsx';
import { Page } from '../../ui/page.tsx';
import { useParameters } from '../../ui/parameters.ts';
import { Empty } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { AuditFilters, filtersIn, noFilters } from './audit-filters.tsx';

/** Who did what, when and why. */
export function Audit() {
  const [search, change] = useParameters();
  const { data: me } = useMe();
  const filters = filtersIn(search);
  const isAllowed = me?.permissions.includes('audit:read') === true;
  const list = useList(
    'GET /v2/audit-events',
    {
      query: {
        action: filters.action,
        user_id: filters.user,
        deployment_id: filters.deployment,
        since: filters.since,
        until: filters.until,
      },
    },
    { isEnabled: isAllowed },
  );
  const { data: deployments = [] } = useChoices('GET /v2/deployments', {}, isAllowed);
  const names = new Map(deployments.map(({ id, name }) => [id, name]));
  const columns = columnsFor({ names, ownId: me?.user_id, only: (user) => change({ user }) });
  return (
    <Page title="Audit log" permissions={['audit:read']}>
      <AuditFilters filters={filters} change={change} names={names} ownId={me?.user_id} />
      <ListOf list={list} empty={<None isFiltered={filters.isFiltered} clear={() => change(noFilters)} />}>
        {(rows) => <Table label="Audit events" rows={rows} keyOf={({ id }) => id} columns={columns} />}
      </ListOf>
    </Page>
  );
}

const None = ({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) =>
  isFiltered ? (
    <Empty title="No entry matches" picture="search">
      <button type="button" onClick={clear}>
        Clear the filters
      </button>
    </Empty>
  ) : (
    <Empty title="Nothing to audit yet" picture="quiet">
      <p class="dim">Every change is listed here with who made it, a moment after it happens.</p>
    </Empty>
  );

type Known = {
  names: ReadonlyMap<string, string>;
  ownId: string | undefined;
  only: (userId: string) => void;
};

const columnsFor = ({ names, ownId, only }: Known): Column<AuditEvent>[] => [
  { title: 'Action', cell: ({ action }) => <strong title={action}>{actionWord(action)}</strong> },
  {
    title: 'Who',
    cell: ({ user_id: user }) =>
      user === null ? (
        <span class="dim">Unknown</span>
      ) : (
        <button type="button" class="plain cut name" title={user} onClick={() => only(user)}>
          {user === ownId ? 'You' : user}
        </button>
      ),
  },
  { title: 'What', cell: (event) => <Thing event={event} names={names} /> },
  {
    title: 'Why, and details',
    cell: (event) => detailsOf(event).map((each) => <div key={each}>{each}</div>),
  },
  {
    title: 'When',
    cell: ({ at, request_id: request }) => (
      <>
        <Time at={at} />
        {request !== null && (
          <div>
            <code class="dim" title={`Request ${request}`}>
              {shortId(request)}
            </code>
          </div>
        )}
      </>
    ),
  },
];

type ThingProps = { event: AuditEvent; names: ReadonlyMap<string, string> };

/** What was acted on, with a link to its deployment. */
function Thing({ event, names }: ThingProps) {
  const { resource_id: id, resource_type: type, deployment_id: deployment } = event;
  if (deployment !== null)
    return (
      <>
        <Link class="row-link" href={`/deployments/${deployment}`} data-row>
          {names.get(deployment) ?? `Deployment ${shortId(deployment)}`}
        </Link>
        {id !== null && id !== deployment && (
          <div class="meta" title={id}>
            {type.startsWith('revision') ? `Revision ${numberOf(id)}` : shortId(id)}
          </div>
        )}
      </>
    );
  const place = id === null ? undefined : placeOf(type, id);
  if (id !== null && place !== undefined)
    return (
      <Link class="row-link" href={place} data-row>
        {shortId(id)}
      </Link>
    );
  return id === null ? null : (
    <code class="url dim" title={id}>
      {shortId(id)}
    </code>
  );
}

const pages: Record<string, string> = {
  listener: '/listeners',
  webhook: '/webhooks',
  integration: '/connections/integrations',
};

const placeOf = (type: string, id: string): string | undefined =>
  Object.hasOwn(pages, type) ? `${pages[type]}/${id}` : undefined;
