import { useState } from 'preact/hooks';
import type { Listed } from '../../../lib/client/endpoints.ts';
import { type memberRolesFor, roleWords } from '../../logic/roles.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { ChoiceField, TextField } from '../../ui/field.tsx';

type MemberRole = ReturnType<typeof memberRolesFor>[number];
type Member = Listed<'GET /v2/members'>;

type RoleProps = { roles: readonly MemberRole[]; value: MemberRole; set: (role: MemberRole) => void };

const RoleField = ({ roles, value, set }: RoleProps) => (
  <ChoiceField
    label="Role"
    of="role"
    value={value}
    set={set}
    choices={roles.map((role) => [role, roleWords[role]] as const)}
  />
);

type AddProps = { roles: readonly MemberRole[]; onClose: () => void };

/** Gives a user of the identity provider a role in the tenant. */
export function AddMember({ roles, onClose }: AddProps) {
  const [userId, setUserId] = useState('');
  const [role, setRole] = useState<MemberRole>('viewer');
  return (
    <ActionDialog
      title="Add a member"
      verb="Add"
      endpoint="POST /v2/members"
      parts={{ body: { user_id: userId.trim(), role } }}
      onClose={onClose}
    >
      <TextField
        label="User id"
        of="user_id"
        hint="The subject (sub) that your identity provider uses for them."
        value={userId}
        set={setUserId}
        isRequired
      />
      <RoleField roles={roles} value={role} set={setRole} />
    </ActionDialog>
  );
}

type ChangeProps = AddProps & { member: Member };

/** Gives a member another role. */
export function ChangeMember({ roles, member: { user_id, role: before }, onClose }: ChangeProps) {
  const [role, setRole] = useState<MemberRole>(before);
  return (
    <ActionDialog
      title={`Change the role of ${user_id}`}
      verb="Change"
      isReady={role !== before}
      endpoint="POST /v2/members"
      parts={{ body: { user_id, role } }}
      onClose={onClose}
    >
      <RoleField roles={roles} value={role} set={setRole} />
      <p class="quiet small">It takes effect with their next request.</p>
    </ActionDialog>
  );
}

/** Takes a member's role. */
export const RemoveMember = ({ member, onClose }: { member: Member; onClose: () => void }) => (
  <ActionDialog
    title={`Remove ${member.user_id}?`}
    verb="Remove"
    isDanger
    endpoint="DELETE /v2/members/{member_id}"
    parts={{ params: { member_id: member.id } }}
    onClose={onClose}
  >
    <p>
      They lose access with their next request, even if they are signed in. Keys that they created keep
      working.
    </p>
  </ActionDialog>
);

/** Makes another tenant of the organization. */
export function NewTenant({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  return (
    <ActionDialog
      title="New tenant"
      verb="Create"
      endpoint="POST /v2/tenants"
      parts={{ body: { name: name.trim() } }}
      onClose={onClose}
    >
      <TextField label="Name" of="name" value={name} set={setName} isRequired lengthMax={128} />
      <p class="quiet small">A key of the whole organization opens it. A tenant cannot be deleted.</p>
    </ActionDialog>
  );
}
