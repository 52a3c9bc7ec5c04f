import { useState } from 'preact/hooks';
import type { Listed, Me } from '../../../lib/client/endpoints.ts';
import { useList } from '../../data/lists.ts';
import { useCan } from '../../data/permissions.ts';
import { useMe } from '../../data/queries.ts';
import { memberRolesFor, roleWords } from '../../logic/roles.ts';
import { Copy } from '../../ui/copy.tsx';
import { ListOf } from '../../ui/list-of.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Keys } from './keys.tsx';
import { AddMember, ChangeMember, NewTenant, RemoveMember } from './member-dialogs.tsx';

/** Who may do what: keys, members and tenants. */
export function Access() {
  const { data: me } = useMe();
  const [canKeys, canMembers, canTenants] = [
    useCan('keys:read'),
    useCan('members:read'),
    useCan('tenants:read'),
  ];
  return (
    <Page title="Access" permissions={['keys:read', 'members:read', 'tenants:read']}>
      {me !== undefined && canKeys && <Keys me={me} />}
      {me !== undefined && canMembers && <Members me={me} />}
      {canTenants && <Tenants />}
    </Page>
  );
}

type Member = Listed<'GET /v2/members'>;

const memberColumns: Column<Member>[] = [
  { title: 'User', cell: ({ user_id }) => <strong>{user_id}</strong> },
  { title: 'Role', cell: ({ role }) => roleWords[role] },
  { title: 'Added', cell: ({ created_at }) => <Time at={created_at} /> },
];

function Members({ me }: { me: Me }) {
  const list = useList('GET /v2/members', {});
  const canWrite = useCan('members:write');
  const [open, setOpen] = useState<{ kind: 'add' } | { kind: 'change' | 'remove'; member: Member }>();
  const close = () => setOpen(undefined);
  const given = memberRolesFor(me.role);
  const actions = (member: Member) =>
    given.some((role) => role === member.role) && (
      <>
        <button
          type="button"
          aria-label={`Change role of ${member.user_id}`}
          onClick={() => setOpen({ kind: 'change', member })}
        >
          Change role
        </button>
        <button
          type="button"
          class="danger"
          aria-label={`Remove ${member.user_id}`}
          onClick={() => setOpen({ kind: 'remove', member })}
        >
          Remove
        </button>
      </>
    );
  return (
    <Section
      id="members"
      title="Members"
      beside={
        canWrite && (
          <button type="button" onClick={() => setOpen({ kind: 'add' })}>
            Add a member
          </button>
        )
      }
    >
      <p class="dim">People who sign in with your identity provider, and what each may do in this tenant.</p>
      <ListOf
        list={list}
        empty={
          <Empty title="No members yet" picture="people">
            <p class="dim">Add people who sign in with your identity provider. Keys work without members.</p>
          </Empty>
        }
      >
        {(rows) => (
          <Table
            label="Members"
            rows={rows}
            keyOf={({ id }) => id}
            columns={memberColumns}
            actions={canWrite ? actions : undefined}
          />
        )}
      </ListOf>
      {open?.kind === 'add' && <AddMember roles={given} onClose={close} />}
      {open?.kind === 'change' && <ChangeMember roles={given} member={open.member} onClose={close} />}
      {open?.kind === 'remove' && <RemoveMember member={open.member} onClose={close} />}
    </Section>
  );
}

const tenantColumns: Column<Listed<'GET /v2/tenants'>>[] = [
  { title: 'Name', cell: ({ name }) => <strong>{name}</strong> },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Id', cell: ({ id, name }) => <Copy text={id} label={`Copy the id of ${name}`} /> },
];

function Tenants() {
  const list = useList('GET /v2/tenants', {});
  const canWrite = useCan('tenants:write');
  const [isNew, setNew] = useState(false);
  return (
    <Section
      id="tenants"
      title="Tenants"
      beside={
        canWrite && (
          <button type="button" onClick={() => setNew(true)}>
            New tenant
          </button>
        )
      }
    >
      <p class="dim">Tenants see nothing of each other. A key of the whole organization opens all of them.</p>
      <ListOf list={list} empty={<Empty title="No tenants yet" />}>
        {(rows) => <Table label="Tenants" rows={rows} keyOf={({ id }) => id} columns={tenantColumns} />}
      </ListOf>
      {isNew && <NewTenant onClose={() => setNew(false)} />}
    </Section>
  );
}
