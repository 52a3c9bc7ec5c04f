import { useState } from 'preact/hooks';
import type { Revision } from '../data/contract.ts';
import { useChange, useRevision } from '../data/queries.ts';
import { curlOf, type Parts } from '../logic/address.ts';
import { differenceOf } from '../logic/difference.ts';
import { numberOf } from '../logic/stages.ts';
import { Copy } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/states.tsx';

const INTERRUPT = 'POST /v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt';
const REDEPLOY = 'POST /v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy';

const paramsOf = ({ id, deployment_id }: Revision) => ({ deployment_id, revision_id: id });
const bodyOf = (reason: string) => (reason.trim() === '' ? {} : { reason: reason.trim() });

type Confirmed = {
  reason: string;
  setReason: (reason: string) => void;
  verb: string;
  isDanger?: boolean;
  change: { isPending: boolean; error: Error | null };
  onConfirm: () => void;
  endpoint: string;
  parts: Parts;
};

/** What every confirmation ends with: an optional reason, the same as a command, and the deed. */
function Confirm({ reason, setReason, verb, isDanger, change, onConfirm, endpoint, parts }: Confirmed) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onConfirm();
      }}
    >
      <label>
        <span>
          Reason <span class="quiet small">(optional; the audit log keeps it)</span>
        </span>
        <input
          type="text"
          maxLength={256}
          value={reason}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
        />
      </label>
      {change.error !== null && <Problem error={change.error} />}
      <div class="actions">
        <Copy text={curlOf(location.origin, endpoint, parts)} label="Copy as curl" />
        <button type="button" onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}>
          Cancel
        </button>
        <button type="submit" class={isDanger ? 'danger' : 'primary'} disabled={change.isPending}>
          {change.isPending ? 'Asking…' : verb}
        </button>
      </div>
    </form>
  );
}

/** Stops a revision that has not finished; what serves goes on serving. */
export function Interrupt({ revision, onClose }: { revision: Revision; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const change = useChange(INTERRUPT, onClose);
  const parts = { params: paramsOf(revision), body: bodyOf(reason) };
  return (
    <Dialog title={`Interrupt revision ${numberOf(revision.id)}?`} onClose={onClose}>
      <p>Its build and deploy are stopped. What serves now goes on serving.</p>
      <Confirm
        {...{ reason, setReason, change, parts, isDanger: true, verb: 'Interrupt', endpoint: INTERRUPT }}
        onConfirm={() => change.mutate(parts)}
      />
    </Dialog>
  );
}

type RunAgainProps = {
  revision: Revision;
  /** What serves now. */
  current: Revision | undefined;
  verb: string;
  onClose: () => void;
};

/** Runs again exactly what a revision ran, after showing what that changes. */
export function RunAgain({ revision, current, verb, onClose }: RunAgainProps) {
  const [reason, setReason] = useState('');
  const change = useChange(REDEPLOY, onClose);
  const parts = { params: paramsOf(revision), body: bodyOf(reason) };
  const isSame = current?.id === revision.id;
  return (
    <Dialog
      title={`${verb} ${verb === 'Roll back' ? 'to ' : ''}revision ${numberOf(revision.id)}?`}
      onClose={onClose}
    >
      <p>
        {isSame
          ? 'A new revision runs the same artifact with the same configuration and secrets. The old server answers until the new one does.'
          : 'A new revision runs what this one ran, with its configuration and its secrets. No request is lost on the way.'}
      </p>
      {!isSame && current !== undefined && <Difference from={current} to={revision} />}
      <Confirm
        {...{ reason, setReason, change, parts, verb, endpoint: REDEPLOY }}
        onConfirm={() => change.mutate(parts)}
      />
    </Dialog>
  );
}

function Difference({ from, to }: { from: Revision; to: Revision }) {
  const [before, after] = [useRevision(from.deployment_id, from.id), useRevision(to.deployment_id, to.id)];
  const error = before.error ?? after.error;
  if (error !== null) return <Problem error={error} />;
  if (before.data === undefined || after.data === undefined) return <p class="quiet">Comparing…</p>;
  const changes = differenceOf(before.data, after.data);
  if (changes.length === 0)
    return (
      <p class="quiet">Commit, configuration and names of secrets are the same as of what serves now.</p>
    );
  return (
    <table class="difference">
      <thead>
        <tr>
          <th scope="col">
            <span class="hidden">What</span>
          </th>
          <th scope="col">Now (revision {numberOf(from.id)})</th>
          <th scope="col">Then</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ what, from: old, to: next }) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td>{old === null ? <span class="quiet">none</span> : <code>{old}</code>}</td>
            <td>{next === null ? <span class="quiet">none</span> : <code>{next}</code>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
