import type { Integration } from '../../logic/integration.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.ts';

const SUBMODULES = 'Give the token to submodules on the same host too';

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
