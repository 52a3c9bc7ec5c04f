import { Link } from 'wouter-preact';
import type { Revision } from '../../lib/client/endpoints.ts';
import { numberOf } from '../../lib/client/revision.ts';
import { useCan } from '../data/permissions.ts';
import { useDeployment, useRevision } from '../data/queries.ts';
import { labelled } from '../logic/configuration.ts';
import { stagesOf } from '../logic/stages.ts';
import { isMoving } from '../logic/status.ts';
import { LogView } from '../ui/log-view.tsx';
import { Reason } from '../ui/reason.tsx';
import { StageBar } from '../ui/stage-bar.tsx';
import { Problem, Skeleton } from '../ui/states.tsx';
import { Status } from '../ui/status.tsx';
import { Time, useNow } from '../ui/time.tsx';
import { useTitle } from '../ui/title.ts';
import { Origin } from './deployment.tsx';

/** A revision: why it is as it is, what it was made with, and its logs. */
export function RevisionPage({ id, revisionId }: { id: string; revisionId: string }) {
  const { data, error, refetch } = useRevision(id, revisionId);
  const { data: deployment } = useDeployment(id);
  const canRead = useCan('logs:read');
  useTitle(`Revision ${numberOf(revisionId)} of ${deployment?.name ?? '…'}`);
  return (
    <main id="main">
      <nav class="trail" aria-label="You are here">
        <Link href="/deployments">Deployments</Link>
        <Link href={`/deployments/${id}`}>
          {deployment?.display_name ?? deployment?.name ?? 'Deployment'}
        </Link>
      </nav>
      {data === undefined && error === null && <Skeleton rows={8} />}
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data !== undefined && (
        <Summary revision={data} isServing={deployment?.active_revision_id === revisionId} />
      )}
      {data !== undefined && canRead && <LogView revision={data} />}
    </main>
  );
}

function Summary({ revision, isServing }: { revision: Revision; isServing: boolean }) {
  const stages = stagesOf(revision, useNow(isMoving(revision.status)));
  return (
    <>
      <header class="page-head">
        <h1>
          Revision {numberOf(revision.id)} <Status of={revision.status} />{' '}
          {isServing && <span class="badge">Serving</span>}
        </h1>
        <span class="quiet small">
          <Time at={revision.created_at} />
        </span>
      </header>
      <Origin revision={revision} />
      {revision.queue_position !== null && <p>Place in the queue: {revision.queue_position}</p>}
      {revision.status_message !== null && (
        <p class="reason">
          <Reason of={revision.status_message} />
        </p>
      )}
      <StageBar stages={stages} />
      <Configuration revision={revision} />
    </>
  );
}

function Configuration({ revision: { configuration: set } }: { revision: Revision }) {
  if (set === null) return null;
  const rows: [string, string | null][] = [
    ...labelled(set),
    ['Resources', set.resource_spec === null ? null : JSON.stringify(set.resource_spec)],
    ['Secrets', set.secret_names.length === 0 ? null : set.secret_names.join(', ')],
  ];
  const given = rows.filter(([, value]) => value !== null);
  if (given.length === 0) return null;
  return (
    <details class="configuration">
      <summary>Configuration</summary>
      <dl class="facts">
        {given.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
