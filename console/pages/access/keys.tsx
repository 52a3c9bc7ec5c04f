import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Listed, Me } from '../../../lib/client/endpoints.ts';
import { useList } from '../../data/lists.ts';
import { useCan } from '../../data/permissions.ts';
import { keyRolesFor, roleWords } from '../../logic/roles.ts';
import { Tag } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { plus } from '../../ui/icons.ts';
import { ListOf } from '../../ui/list-of.tsx';
import { Section } from '../../ui/page.tsx';
import { useParameters } from '../../ui/parameters.ts';
import { Empty } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import { NewKey, RevokeKey } from './key-dialogs.tsx';

type ApiKey = Listed<'GET /v2/api-keys'>;

/** Users that only keys stand for. */
const OWN_ID = /^[\da-f]{8}-[\da-f-]{27}$/i;

const userWord = (id: string): string => (OWN_ID.test(id) ? 'A user without a name' : id);

const columnsFor = (me: Me): Column<ApiKey>[] => [
  {
    title: 'Name',
    cell: ({ id, name, hint }) => (
      <>
        <strong>{name}</strong> {id === me.key_id && <Tag>This session</Tag>}
        <br />
        <code class="dim">{hint}</code>
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
    cell: ({ user_id: id, listener_id: listener }) => (
      <span class="cut name" title={id}>
        {listener !== null ? 'Its listener' : id === me.user_id ? 'You' : userWord(id)}
      </span>
    ),
  },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'Never' : <Time at={at} />) },
  { title: 'Expires', cell: ({ expires_at: at }) => <Ends at={at} /> },
];

const SOON_MILLISECONDS = 7 * 86_400_000;

/** When a key ends; in amber where that is soon. */
function Ends({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return <>Never</>;
  return (
    <span class={Date.parse(at) - now < SOON_MILLISECONDS ? 'warn' : ''}>
      <Time at={at} />
    </span>
  );
}

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
          <Button kind="primary" icon={plus} onClick={() => setOpen('new')}>
            New key
          </Button>
        )
      }
    >
      {canOrganization && (
        <search class="filters">
          <Segmented
            label="Keys of"
            value={scope}
            options={[
              { value: 'tenant', title: 'This tenant' },
              { value: 'organization', title: 'The whole organization' },
            ]}
            onChange={(value) => change({ scope: value === 'tenant' ? '' : value })}
          />
        </search>
      )}
      <ListOf
        list={list}
        empty={
          <Empty title="No access keys yet">
            <p class="dim">Scripts, CI and listeners sign in with a key.</p>
          </Empty>
        }
      >
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
