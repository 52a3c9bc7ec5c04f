import {
  authMethods,
  bindings,
  bodyOf,
  changesOf,
  type Provider,
  type ProviderValues,
  valuesOf,
} from '../../logic/provider.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { CheckField, ChoiceField, Field, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.ts';

type FieldsProps = {
  values: ProviderValues;
  set: <K extends keyof ProviderValues>(field: K) => (value: ProviderValues[K]) => void;
  isNew: boolean;
};

const Fields = ({ values, set, isNew }: FieldsProps) => (
  <>
    <TextField label="Name" of="name" value={values.name} set={set('name')} isRequired lengthMax={128} />
    <TextField label="Client id" of="client_id" value={values.clientId} set={set('clientId')} isRequired />
    <ChoiceField
      label="How the client proves itself"
      of="token_endpoint_auth_method"
      value={values.method}
      set={set('method')}
      choices={authMethods}
    />
    {values.method !== 'none' && (
      <TextField
        label="Client secret"
        of="client_secret"
        hint={
          isNew
            ? 'It is stored encrypted and never shown.'
            : 'Another address of the provider takes the secret along.'
        }
        placeholder={isNew ? undefined : 'Keep the stored secret'}
        value={values.secret}
        set={set('secret')}
        isSecret
      />
    )}
    <TextField
      label="Authorization endpoint"
      of="auth_url"
      type="url"
      placeholder="https://accounts.example/authorize"
      value={values.authUrl}
      set={set('authUrl')}
      isRequired
    />
    <TextField
      label="Token endpoint"
      of="token_url"
      type="url"
      placeholder="https://accounts.example/token"
      value={values.tokenUrl}
      set={set('tokenUrl')}
      isRequired
    />
    <details>
      <summary>More</summary>
      <MoreFields values={values} set={set} />
    </details>
  </>
);

const MoreFields = ({ values, set }: Omit<FieldsProps, 'isNew'>) => (
  <>
    <ChoiceField
      label="Consent counts for"
      of="user_binding"
      value={values.binding}
      set={set('binding')}
      choices={bindings}
    />
    <Field
      label="Redirect URIs"
      of="allowed_redirect_uris"
      hint="One a line. Without any: this installation’s own."
    >
      <textarea
        rows={2}
        value={values.redirects}
        spellcheck={false}
        onInput={({ currentTarget }) => set('redirects')(currentTarget.value)}
      />
    </Field>
    <TextField
      label="MCP server"
      of="mcp_server_url"
      type="url"
      value={values.mcpServer}
      set={set('mcpServer')}
    />
    <CheckField label="Use PKCE" value={values.usesPkce} set={set('usesPkce')} />
  </>
);

type EditProps = { provider?: Provider; onClose: () => void };

/** Adds a provider, or changes one. */
export function EditProvider({ provider, onClose }: EditProps) {
  const { values, set } = useForm(() => valuesOf(provider));
  const fields = <Fields values={values} set={set} isNew={provider === undefined} />;
  if (provider !== undefined) {
    const body = changesOf(provider, values);
    return (
      <ActionDialog
        title={`Change ${provider.name}`}
        verb="Save"
        isReady={Object.keys(body).length > 0}
        endpoint="PATCH /v2/auth/providers/{provider_id}"
        parts={{ params: { provider_id: provider.provider_id }, body }}
        onClose={onClose}
      >
        {fields}
      </ActionDialog>
    );
  }
  return (
    <ActionDialog
      title="New provider"
      verb="Add"
      endpoint="POST /v2/auth/providers"
      parts={{ body: bodyOf(values) }}
      onClose={onClose}
    >
      <IdField value={values.id} set={set('id')} />
      {fields}
    </ActionDialog>
  );
}

const IdField = ({ value, set }: { value: string; set: (value: string) => void }) => (
  <TextField
    label="Provider id"
    of="provider_id"
    hint="What agents ask for it by: letters, digits, dots, _ and -. It cannot be changed later."
    value={value}
    set={set}
    isRequired
    lengthMax={128}
  />
);

/** Finds the authorization server of an MCP server and registers a client there. */
export function DiscoverProvider({ onClose }: { onClose: () => void }) {
  const { values, set } = useForm({ id: '', name: '', server: '' });
  const body = {
    provider_id: values.id.trim(),
    name: values.name.trim(),
    mcp_server_url: values.server.trim(),
  };
  return (
    <ActionDialog
      title="Provider of an MCP server"
      verb="Find and add"
      endpoint="POST /v2/auth/providers/mcp-discover"
      parts={{ body }}
      onClose={onClose}
    >
      <p class="quiet small">Its authorization server is found, and a client is registered there.</p>
      <TextField
        label="Address of the MCP server"
        of="mcp_server_url"
        type="url"
        placeholder="https://mcp.example/mcp"
        value={values.server}
        set={set('server')}
        isRequired
      />
      <IdField value={values.id} set={set('id')} />
      <TextField label="Name" of="name" value={values.name} set={set('name')} isRequired lengthMax={128} />
    </ActionDialog>
  );
}

/** Forgets a provider and its secret. */
export const DeleteProvider = ({ provider, onClose }: { provider: Provider; onClose: () => void }) => (
  <ActionDialog
    title={`Delete ${provider.name}?`}
    verb="Delete"
    isDanger
    endpoint="DELETE /v2/auth/providers/{provider_id}"
    parts={{ params: { provider_id: provider.provider_id } }}
    onClose={onClose}
  >
    <p>Its client secret is deleted, and every token that it issued stops working.</p>
  </ActionDialog>
);
