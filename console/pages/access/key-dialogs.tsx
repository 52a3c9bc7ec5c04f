import { useState } from 'preact/hooks';
import type { Listed, Listener, Me } from '../../../lib/client/endpoints.ts';
import { useChoices } from '../../data/lists.ts';
import { useMe } from '../../data/queries.ts';
import { type Expiry, expiries, expiryOf, firstExpiry, wordsOfEnd } from '../../logic/expiry.ts';
import { keyRolesFor, type Role, roleWords } from '../../logic/roles.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { CheckField, ChoiceField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.ts';
import { SecretDialog } from '../../ui/secret-dialog.tsx';

type Props = {
  /** For the key of this one alone. */
  listener?: Pick<Listener, 'id' | 'compute_id'>;
  onClose: () => void;
};

/** Makes a key, and shows it once. */
export function NewKey({ listener, onClose }: Props) {
  const { data: me } = useMe();
  const [made, setMade] = useState<Made>();
  if (me === undefined) return null;
  if (made !== undefined)
    return (
      <SecretDialog
        title="The new key"
        secret={made.key}
        hint={`${wordsOfEnd(made.expires_at)} Store it where you will use it.`}
        onClose={onClose}
      />
    );
  return <Form me={me} listener={listener} onClose={onClose} onMade={setMade} />;
}

type Made = { key: string; expires_at: string | null };

type FormProps = {
  me: Me;
  listener: Props['listener'];
  onClose: () => void;
  onMade: (made: Made) => void;
};

type Values = {
  name: string;
  role: Role;
  listenerId: string;
  expiry: Expiry;
  isOfOrganization: boolean;
  isServiceUser: boolean;
};

function bodyOf(values: Values, now: number) {
  const expires = expiryOf(values.expiry, now);
  return {
    name: values.name.trim(),
    role: values.role,
    ...(values.role === 'listener' && { listener_id: values.listenerId }),
    ...(expires !== undefined && { expires_at: expires }),
    ...(values.isOfOrganization && values.role !== 'listener' && { scope: 'organization' as const }),
    ...(values.isServiceUser && values.role !== 'listener' && { service_user: true }),
  };
}

const LISTENER_HINT = 'At most as long as the key that you signed in with.';
const PERSON_HINT =
  'At most 90 days, unless this installation has another limit, and at most as long as the key that you signed in with.';

function Form({ me, listener, onClose, onMade }: FormProps) {
  const [now] = useState(Date.now);
  const { values, set } = useForm<Values>({
    name: listener?.compute_id ?? '',
    role: listener === undefined ? 'developer' : 'listener',
    listenerId: listener?.id ?? '',
    expiry: firstExpiry(me, listener !== undefined),
    isOfOrganization: false,
    isServiceUser: false,
  });
  const isListener = values.role === 'listener';
  return (
    <ActionDialog
      title={listener === undefined ? 'New key' : `New key of ${listener.compute_id}`}
      verb="Create"
      endpoint="POST /v2/api-keys"
      parts={{ body: bodyOf(values, now) }}
      onClose={onClose}
      onDone={onMade}
    >
      <TextField
        label="Name"
        of="name"
        hint="Say where it is used, such as GitHub Actions."
        value={values.name}
        set={set('name')}
        isRequired
        lengthMax={128}
      />
      {listener === undefined && (
        <ChoiceField
          label="Role"
          of="role"
          value={values.role}
          set={set('role')}
          choices={keyRolesFor(me.role).map((role) => [role, roleWords[role]] as const)}
        />
      )}
      {listener === undefined && isListener && (
        <ListenerField value={values.listenerId} set={set('listenerId')} />
      )}
      <ExpiryField isListener={isListener} value={values.expiry} set={set('expiry')} />
      {!isListener && me.permissions.includes('organization_keys:write') && (
        <CheckField
          label="For every tenant of the organization"
          value={values.isOfOrganization}
          set={set('isOfOrganization')}
        />
      )}
      {!isListener && (
        <CheckField
          label="Acts as its own user instead of as you"
          value={values.isServiceUser}
          set={set('isServiceUser')}
        />
      )}
    </ActionDialog>
  );
}

type ExpiryProps = { isListener: boolean; value: Expiry; set: (value: Expiry) => void };

const ExpiryField = ({ isListener, value, set }: ExpiryProps) => (
  <ChoiceField
    label="Valid for"
    of="expires_at"
    hint={isListener ? LISTENER_HINT : PERSON_HINT}
    value={value}
    set={set}
    choices={expiries}
  />
);

function ListenerField({ value, set }: { value: string; set: (id: string) => void }) {
  const { data = [] } = useChoices('GET /v2/listeners', {});
  return (
    <ChoiceField
      label="Listener"
      of="listener_id"
      hint="The key works for this listener alone."
      value={value}
      set={set}
      choices={[['', 'Choose one'], ...data.map(({ id, compute_id }) => [id, compute_id] as const)]}
    />
  );
}

type RevokeProps = {
  apiKey: Listed<'GET /v2/api-keys'>;
  /** Whether it is the one that this page works with. */
  isOwn: boolean;
  onClose: () => void;
};

/** Revokes a key. */
export const RevokeKey = ({ apiKey: { id, name, hint }, isOwn, onClose }: RevokeProps) => (
  <ActionDialog
    title={`Revoke ${name}?`}
    verb="Revoke"
    isDanger
    endpoint="DELETE /v2/api-keys/{key_id}"
    parts={{ params: { key_id: id } }}
    onClose={onClose}
  >
    <p>
      Requests with <code>{hint}</code> are refused at once, and console sessions that it opened end. This
      cannot be undone.
    </p>
    {isOwn && <p class="problem">This is the key of your session. You will be signed out.</p>}
  </ActionDialog>
);
