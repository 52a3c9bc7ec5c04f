import { type GitHost, gitHosts, type Integration } from '../../logic/integration.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { CheckField, ChoiceField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.ts';

const SUBMODULES = 'Give the token to submodules on the same host too';

type NewProps = { onClose: () => void; onDone: (made: Integration) => void };

/** Stores the token of a git host. */
export function NewIntegration({ onClose, onDone }: NewProps) {
  const { values, set } = useForm({
    type: 'github' as GitHost,
    host: '',
    name: '',
    token: '',
    secret: '',
    submodules: false,
  });
  const [host, name] = [values.host.trim(), values.name.trim()];
  const body = {
    type: values.type,
    ...(host !== '' && { host }),
    ...(name !== '' && { name }),
    token: values.token,
    ...(values.secret !== '' && { webhook_secret: values.secret }),
    ...(values.submodules && { submodules: true }),
  };
  return (
    <ActionDialog
      title="New integration"
      verb="Create"
      endpoint="POST /v2/integrations"
      parts={{ body }}
      onClose={onClose}
      onDone={onDone}
    >
      <ChoiceField label="Git host" of="type" value={values.type} set={set('type')} choices={gitHosts} />
      <TextField
        label={values.type === 'gitea' ? 'Host' : 'Host (optional)'}
        of="host"
        hint="The name alone, for a host of your own."
        placeholder="git.example.com"
        value={values.host}
        set={set('host')}
        isRequired={values.type === 'gitea'}
      />
      <TextField label="Name (optional)" of="name" value={values.name} set={set('name')} lengthMax={128} />
      <TextField
        label="Token"
        of="token"
        hint="It is stored encrypted and never shown. It only has to read repositories."
        value={values.token}
        set={set('token')}
        isRequired
        isSecret
      />
      <TextField
        label="Webhook secret (optional)"
        of="webhook_secret"
        hint="The same as at the host: with it, pushes are known to come from there."
        value={values.secret}
        set={set('secret')}
        isSecret
      />
      <CheckField label={SUBMODULES} value={values.submodules} set={set('submodules')} />
    </ActionDialog>
  );
}

type Props = { integration: Integration; onClose: () => void };

/** Changes an integration; secrets that are left empty stay. */
export function ChangeIntegration({ integration, onClose }: Props) {
  const { values, set } = useForm({
    name: integration.name,
    token: '',
    secret: '',
    submodules: integration.submodules,
  });
  const body = {
    name: values.name.trim(),
    ...(values.token !== '' && { token: values.token }),
    ...(values.secret !== '' && { webhook_secret: values.secret }),
    submodules: values.submodules,
  };
  return (
    <ActionDialog
      title={`Change ${integration.name}`}
      verb="Save"
      endpoint="PATCH /v2/integrations/{integration_id}"
      parts={{ params: { integration_id: integration.id }, body }}
      onClose={onClose}
    >
      <TextField label="Name" of="name" value={values.name} set={set('name')} isRequired lengthMax={128} />
      <TextField
        label="Token"
        of="token"
        placeholder="Keep the stored token"
        value={values.token}
        set={set('token')}
        isSecret
      />
      <TextField
        label="Webhook secret"
        of="webhook_secret"
        placeholder={integration.has_webhook_secret ? 'Keep the stored secret' : 'None is stored'}
        value={values.secret}
        set={set('secret')}
        isSecret
      />
      <CheckField label={SUBMODULES} value={values.submodules} set={set('submodules')} />
    </ActionDialog>
  );
}

/** Deletes an integration with its token. */
export const DeleteIntegration = ({ integration, onClose, onDone }: Props & { onDone: () => void }) => (
  <ActionDialog
    title={`Delete ${integration.name}?`}
    verb="Delete"
    isDanger
    endpoint="DELETE /v2/integrations/{integration_id}"
    parts={{ params: { integration_id: integration.id } }}
    onClose={onClose}
    onDone={onDone}
  >
    <p>
      Its token goes at once. Deployments that name it stay, and read their repositories without a token from
      then on: a private one can no longer be built.
    </p>
  </ActionDialog>
);
