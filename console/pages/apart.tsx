import { useState } from 'preact/hooks';
import type { Deployment, Revision } from '../../lib/client/endpoints.ts';
import { useCan } from '../data/permissions.ts';
import { apartIn } from '../logic/apart.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';

/** That what serves runs another configuration than the deployment has, and what makes them one. */
export function Apart({ deployment, newest }: { deployment: Deployment; newest: Revision | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const canWrite = useCan('deployments:write');
  const differences = apartIn(deployment, newest);
  if (differences.length === 0) return null;
  return (
    <div class="apart">
      <p>
        What serves runs another configuration than this deployment has: {differences.join(', ')}. The next
        deploy runs the deployment's own.
      </p>
      {canWrite && (
        <button type="button" onClick={() => setOpen(true)}>
          Deploy again
        </button>
      )}
      {isOpen && (
        <ActionDialog
          title="Deploy again?"
          verb="Deploy"
          endpoint="POST /v2/deployments/{deployment_id}/revisions"
          parts={{ params: { deployment_id: deployment.id }, body: {} }}
          onClose={() => setOpen(false)}
        >
          <p>
            A new revision runs what the newest one was built from, with the configuration and the secrets
            that the deployment has.
          </p>
        </ActionDialog>
      )}
    </div>
  );
}
