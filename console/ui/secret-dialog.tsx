import { Copy } from './copy.tsx';
import { closeDialog, Dialog } from './dialog.tsx';

type Props = { title: string; secret: string; hint: string; onClose: () => void };

/** A secret that is shown this once. Only its own button and Escape close it. */
export const SecretDialog = ({ title, secret, hint, onClose }: Props) => (
  <Dialog title={title} onClose={onClose} isFirm>
    <p>{hint} It is not shown again.</p>
    <p>
      <code class="command secret">{secret}</code>
    </p>
    <div class="actions">
      <Copy text={secret} label="Copy" />
      <button type="button" class="primary" onClick={({ currentTarget }) => closeDialog(currentTarget)}>
        I have stored it
      </button>
    </div>
  </Dialog>
);
