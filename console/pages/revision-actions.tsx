import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Revision } from '../../lib/client/endpoints.ts';
import { numberOf } from '../../lib/client/revision.ts';
import { useRevision } from '../data/queries.ts';
import type { Verb } from '../logic/actions.ts';
import { differenceOf } from '../logic/difference.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Problem } from '../ui/states.tsx';

const INTERRUPT = 'POST /v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt';
const REDEPLOY = 'POST /v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy';

const paramsOf = ({ id, deployment_id }: Revision) => ({ deployment_id, revision_id: id });
const bodyOf = (reason: string) => (reason.trim() === '' ? {} : { reason: reason.trim() });

/** Stops a revision that has not finished; what serves goes on serving. */
export function Interrupt({ revision, onClose }: { revision: Revision; onClose: () => void }) {
  const [reason, setReason] = useState('');
  return (
    <ActionDialog
      title={`Stop revision ${numberOf(revision.id)}?`}
      verb="Stop"
      isDanger
      endpoint={INTERRUPT}
      parts={{ params: paramsOf(revision), body: bodyOf(reason) }}
      onClose={onClose}
    >
      <p>Its build and deploy are stopped. What serves now goes on serving.</p>
      <ReasonField value={reason} set={setReason} />
    </ActionDialog>
  );
}

type RunAgainProps = {
  revision: Revision;
  /** What serves now. */
  current: Revision | undefined;
  verb: Verb;
  onClose: () => void;
  /** What else is chosen in the dialog. */
  children?: ComponentChildren;
};

/** Runs again what a revision ran, after showing what that changes. */
export function RunAgain({ revision, current, verb, onClose, children }: RunAgainProps) {
  const [reason, setReason] = useState('');
  const [isCurrent, setCurrent] = useState(false);
  const isSame = current?.id === revision.id;
  return (
    <ActionDialog
      title={`${verb} ${verb === 'Roll back' ? 'to ' : ''}revision ${numberOf(revision.id)}?`}
      verb={verb}
      endpoint={REDEPLOY}
      parts={{
        params: paramsOf(revision),
        query: { secrets: isCurrent ? 'current' : '' },
        body: bodyOf(reason),
      }}
      onClose={onClose}
    >
      {children}
      <p>
        {isSame
          ? 'A new revision runs the same build with the same configuration. The old server answers until the new one does.'
          : 'A new revision runs what this one ran, with its configuration. No request is lost on the way. The settings stay as they are: the next deploy runs those.'}
      </p>
      {!isSame && current !== undefined && <Difference from={current} to={revision} />}
      <label class="check">
        <input type="checkbox" checked={isCurrent} onChange={() => setCurrent(!isCurrent)} /> Use today’s
        secrets instead of the ones it ran with
      </label>
      <ReasonField value={reason} set={setReason} />
    </ActionDialog>
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

const LENGTH_MAX = 200;

/** Why something is done. */
const ReasonField = ({ value, set }: { value: string; set: (reason: string) => void }) => (
  <TextField
    label="Reason (optional; the audit log keeps it)"
    of="reason"
    lengthMax={LENGTH_MAX}
    value={value}
    set={set}
  />
);
