import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { Deployment } from '../../../lib/client/endpoints.ts';
import { queryClient } from '../../data/poll.ts';
import { deployFolder, type Picked } from '../../data/upload.ts';
import { Button } from '../../ui/button.tsx';
import { closeDialog, Dialog } from '../../ui/dialog.tsx';
import { FolderField } from '../../ui/folder-field.tsx';
import { upload } from '../../ui/icons.ts';
import { Problem } from '../../ui/states.tsx';

type Props = { deployment: Deployment; onClose: () => void };

/** Takes a folder and deploys it in place of the one before. */
export function UploadAgain({ deployment, onClose }: Props) {
  const [, go] = useLocation();
  const [picked, setPicked] = useState<Picked[]>([]);
  const [step, setStep] = useState<string>();
  const [error, setError] = useState<unknown>();
  const send = async () => {
    setError(undefined);
    try {
      const { latest_revision_id: made } = await deployFolder(deployment, picked, setStep);
      await queryClient.invalidateQueries();
      onClose();
      go(`/deployments/${deployment.id}/revisions/${made}`);
    } catch (refused) {
      setError(refused);
      setStep(undefined);
    }
  };
  return (
    <Dialog title="Upload again" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <FolderField picked={picked} pick={setPicked} />
        <p class="dim">What serves now goes on serving until the new revision is ready.</p>
        {error !== undefined && <Problem error={error} />}
        <div class="actions">
          <Button onClick={({ currentTarget }) => closeDialog(currentTarget)}>Cancel</Button>
          <Button type="submit" kind="primary" icon={upload} disabled={picked.length === 0} busy={step}>
            Upload and deploy
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
