import { useState } from 'preact/hooks';
import type { Answer } from '../../../lib/client/endpoints.ts';
import { wordsIn } from '../../logic/listener.ts';
import type { Provider } from '../../logic/provider.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { closeDialog, Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.ts';

type Props = { provider: Provider; onClose: () => void };
type Asked = Pick<Answer<'POST /v2/auth/authenticate'>, 'url' | 'auth_id'>;

/**
 * Asks who is signed in for consent at a provider. Always anew: an answer that a stored token suffices would
 * bring the token into the page.
 */
export function AskConsent({ provider, onClose }: Props) {
  const { values, set } = useForm({ scopes: '', agent: '' });
  const [asked, setAsked] = useState<Asked>();
  if (asked !== undefined) return <Consent provider={provider} asked={asked} onClose={onClose} />;
  const agent = values.agent.trim();
  const body = {
    provider: provider.provider_id,
    scopes: wordsIn(values.scopes),
    force_new: true,
    ...(agent !== '' && { agent_id: agent }),
  };
  return (
    <ActionDialog
      title={`Grant access at ${provider.name}`}
      verb="Go on"
      endpoint="POST /v2/auth/authenticate"
      parts={{ body }}
      onClose={onClose}
      onDone={({ url, auth_id }) => setAsked({ url, auth_id })}
    >
      <TextField
        label="Scopes"
        of="scopes"
        hint="As the provider names them, with spaces between."
        value={values.scopes}
        set={set('scopes')}
      />
      <TextField
        label="Agent id (optional)"
        of="agent_id"
        hint="Then the token is for this agent alone."
        value={values.agent}
        set={set('agent')}
      />
    </ActionDialog>
  );
}

function Consent({ provider, asked: { url, auth_id }, onClose }: Props & { asked: Asked }) {
  const isStrict = provider.user_binding === 'strict';
  const [code, setCode] = useState('');
  const link = url !== null && (
    <p>
      <a class="button" href={url} target="_blank" rel="noreferrer">
        Open the consent page
      </a>
    </p>
  );
  if (isStrict && auth_id !== null)
    return (
      <ActionDialog
        title={`Consent at ${provider.name}`}
        verb="Confirm"
        endpoint="POST /v2/auth/complete/{auth_id}"
        parts={{ params: { auth_id }, body: { confirmation_code: code.trim() } }}
        onClose={onClose}
      >
        <p>The page works for ten minutes. It ends with a code: enter it here.</p>
        {link}
        <TextField label="Code" of="confirmation_code" value={code} set={setCode} isRequired />
      </ActionDialog>
    );
  return (
    <Dialog title={`Consent at ${provider.name}`} onClose={onClose}>
      <p>The page works for ten minutes. Once you agree there, the token appears in the list.</p>
      {link}
      <div class="actions">
        <button type="button" class="primary" onClick={({ currentTarget }) => closeDialog(currentTarget)}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
