import { wordsIn } from '../../logic/listener.ts';
import type { Provider } from '../../logic/provider.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.ts';
import type { Token } from './tokens.tsx';

type OfProvider = { provider: Provider; onClose: () => void };

/** Stores a token that the same client was given elsewhere. */
export function ImportToken({ provider, onClose }: OfProvider) {
  const { values, set } = useForm({ access: '', refresh: '', scopes: '', label: '', isDefault: false });
  const label = values.label.trim();
  const body = {
    provider_id: provider.provider_id,
    access_token: values.access,
    ...(values.refresh !== '' && { refresh_token: values.refresh }),
    scopes: wordsIn(values.scopes),
    ...(label !== '' && { provider_account_label: label }),
    ...(values.isDefault && { is_default: true }),
  };
  return (
    <ActionDialog
      title={`Import a token of ${provider.name}`}
      verb="Import"
      endpoint="POST /v2/auth/tokens/import"
      parts={{ body }}
      onClose={onClose}
    >
      <TextField
        label="Access token"
        of="access_token"
        hint="It is stored encrypted and never shown."
        value={values.access}
        set={set('access')}
        isRequired
        isSecret
      />
      <TextField
        label="Refresh token (optional)"
        of="refresh_token"
        value={values.refresh}
        set={set('refresh')}
        isSecret
      />
      <TextField
        label="Scopes"
        of="scopes"
        hint="As the provider names them, with spaces between."
        value={values.scopes}
        set={set('scopes')}
      />
      <TextField
        label="Label (optional)"
        of="provider_account_label"
        hint="Whose account it is, in your words."
        value={values.label}
        set={set('label')}
      />
      <CheckField label="Use it by default" value={values.isDefault} set={set('isDefault')} />
    </ActionDialog>
  );
}

/** Deletes whatever who is signed in has granted at a provider. */
export const DeleteAllTokens = ({ provider, onClose }: OfProvider) => (
  <ActionDialog
    title={`Delete all your tokens of ${provider.name}?`}
    verb="Delete all"
    isDanger
    endpoint="DELETE /v2/auth/tokens"
    parts={{ query: { provider_id: provider.provider_id } }}
    onClose={onClose}
  >
    <p>
      They go with their connections, of all agents, and are revoked at the provider where that can be. Agents
      ask you again.
    </p>
  </ActionDialog>
);

type OfToken = { token: Token; onClose: () => void };

/** Changes what is noted beside a token. */
export function ChangeToken({ token, onClose }: OfToken) {
  const { values, set } = useForm({
    label: token.provider_account_label ?? '',
    isDefault: token.is_default,
  });
  const label = values.label.trim();
  const body = {
    ...(label !== '' && { provider_account_label: label }),
    is_default: values.isDefault,
  };
  return (
    <ActionDialog
      title="Change the token"
      verb="Save"
      endpoint="PATCH /v2/auth/tokens/{token_id}/metadata"
      parts={{ params: { token_id: token.id }, body }}
      onClose={onClose}
    >
      <TextField label="Label" of="provider_account_label" value={values.label} set={set('label')} />
      <CheckField label="Use it by default" value={values.isDefault} set={set('isDefault')} />
    </ActionDialog>
  );
}

/** Deletes a token with its connections. */
export const DeleteToken = ({ token, onClose }: OfToken) => (
  <ActionDialog
    title="Delete the token?"
    verb="Delete"
    isDanger
    endpoint="DELETE /v2/auth/tokens/{token_id}"
    parts={{ params: { token_id: token.id } }}
    onClose={onClose}
  >
    <p>
      {token.provider_account_label ?? 'It'} goes with its connections, and is revoked at the provider where
      that can be.
    </p>
  </ActionDialog>
);
