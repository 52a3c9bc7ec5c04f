import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Listed, Me } from '../../../lib/client/endpoints.ts';
import { useList } from '../../data/lists.ts';
import { useCan } from '../../data/permissions.ts';
import { keyRolesFor, roleWords } from '../../logic/roles.ts';
import { ListOf } from '../../ui/list-of.tsx';
import { Section } from '../../ui/page.tsx';
import { useParameters } from '../../ui/parameters.ts';
import { Empty } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NewKey, RevokeKey } from './key-dialogs.tsx';

type ApiKey = Listed<'GET /v2/api-keys'>;

const columnsFor = (me: Me): Column<ApiKey>[] => [
  {
    title: 'Name',
    cell: ({ id, name, hint }) => (
      <>
        <strong>{name}</strong> {id === me.key_id && <span class="badge">This session</span>}
        <br />
        <code class="quiet">{hint}</code>
      </>
    ),
  },
  {
    title: 'Role',
    cell: ({ role, listener_id }) =>
      listener_id === null ? (
        roleWords[role]
      ) : (
        <Link href={`/listeners/${listener_id}`}>{roleWords[role]}</Link>
      ),
  },
  {
    title: 'Acts as',
    cell: ({ user_id }) => <UserName userId={user_id} me={me} />,
  },
  { title: 'Made', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'Never' : <Time at={at} />) },
  { title: 'Ends', cell: ({ expires_at: at }) => (at === null ? 'Never' : <Time at={at} />) },
];

const UserName = ({ userId, me }: { userId: string; me: Me }) =>
  userId === me.user_id ? (
    <span title={userId}>You</span>
  ) : (
    <code class="cut name" title={userId}>
      {userId}
    </code>
  );

/** Keys of the tenant, or of the whole organization. */
export function Keys({ me }: { me: Me }) {
  const [search, change] = useParameters();
  const canWrite = useCan('keys:write');
  const canOrganization = useCan('organization_keys:read');
  const scope = canOrganization && search.get('scope') === 'organization' ? 'organization' : 'tenant';
  const list = useList('GET /v2/api-keys', { query: { scope } });
  const [open, setOpen] = useState<'new' | ApiKey>();
  const close = () => setOpen(undefined);
  const given = keyRolesFor(me.role);
  const actions = (key: ApiKey) =>
    given.includes(key.role) && (
      <button type="button" class="danger" aria-label={`Revoke ${key.name}`} onClick={() => setOpen(key)}>
        Revoke
      </button>
    );
  return (
    <Section
      id="keys"
      title="Keys"
      beside={
        canWrite && (
          <button type="button" class="primary" onClick={() => setOpen('new')}>
            New key
          </button>
        )
      }
    >
      {canOrganization && (
        <search class="filters">
          <select
            aria-label="Keys of"
            value={scope}
            onChange={({ currentTarget: { value } }) => change({ scope: value === 'tenant' ? '' : value })}
          >
            <option value="tenant">This tenant</option>
            <option value="organization">The whole organization</option>
          </select>
        </search>
      )}
      <ListOf list={list} empty={<Empty title="There is no key." />}>
        {(rows) => (
          <Table
            label="Keys"
            rows={rows}
            keyOf={({ id }) => id}
            columns={columnsFor(me)}
            actions={canWrite ? actions : undefined}
          />
        )}
      </ListOf>
      {open === 'new' && <NewKey onClose={close} />}
      {open !== undefined && open !== 'new' && (
        <RevokeKey apiKey={open} isOwn={open.id === me.key_id} onClose={close} />
      )}
    </Section>
  );
}
