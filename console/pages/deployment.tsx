import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Deployment, Revision } from '../../lib/client/endpoints.ts';
import { numberOf } from '../../lib/client/revision.ts';
import { useCan } from '../data/permissions.ts';
import { useDeployment, useRevisions } from '../data/queries.ts';
import { actionsOn } from '../logic/actions.ts';
import { causeOf } from '../logic/cause.ts';
import { releaseText } from '../logic/configuration.ts';
import { shortCommit } from '../logic/difference.ts';
import { ownHostOf } from '../logic/own-host.ts';
import { shortSource } from '../logic/source.ts';
import { stagesOf, totalOf } from '../logic/stages.ts';
import { isMoving } from '../logic/status.ts';
import { duration } from '../logic/time.ts';
import { Copy } from '../ui/copy.tsx';
import { Durations } from '../ui/durations.tsx';
import { moveRow, useKeys } from '../ui/keys.ts';
import { LoadMore } from '../ui/load-more.tsx';
import { Reason } from '../ui/reason.tsx';
import { StageBar } from '../ui/stage-bar.tsx';
import { Empty, Problem, Skeleton } from '../ui/states.tsx';
import { Status } from '../ui/status.tsx';
import { Time, useNow } from '../ui/time.tsx';
import { useTitle } from '../ui/title.ts';
import { Apart } from './apart.tsx';
import { Interrupt, RunAgain } from './revision-actions.tsx';

/** A deployment: what serves, and the timeline of its revisions. */
export function DeploymentPage({ id }: { id: string }) {
  const { data, error, refetch } = useDeployment(id);
  useTitle(data?.name ?? 'Deployment');
  useKeys({ j: () => moveRow(1), k: () => moveRow(-1) });
  if (data === undefined)
    return (
      <main id="main">
        <Trail />
        {error === null ? <Skeleton rows={8} /> : <Problem error={error} retry={() => void refetch()} />}
      </main>
    );
  return (
    <main id="main">
      <Trail />
      {error !== null && <Problem error={error} />}
      <Head deployment={data} />
      <Facts deployment={data} />
      <Timeline deployment={data} />
    </main>
  );
}

export const Trail = () => (
  <nav class="trail" aria-label="You are here">
    <Link href="/deployments">Deployments</Link>
  </nav>
);

function Head({
  deployment: { id, name, display_name, status, active_revision_id: active },
}: {
  deployment: Deployment;
}) {
  const canWrite = useCan('deployments:write');
  return (
    <header class="page-head">
      <h1>
        {display_name ?? name} <Status of={status} />
      </h1>
      {canWrite && status !== 'AWAITING_DELETE' && (
        <div class="actions">
          {active !== null && (
            <Link class="button" href={`/deployments/${id}/try`}>
              Try
            </Link>
          )}
          <Link class="button" href={`/deployments/${id}/settings`}>
            Settings
          </Link>
        </div>
      )}
    </header>
  );
}

function OwnHost({ url }: { url: string | null }) {
  if (url === null) return null;
  return (
    <div>
      <dt>At a host of its own</dt>
      <dd>
        <a href={url} target="_blank" rel="noreferrer">
          {url}
        </a>
      </dd>
    </div>
  );
}

function RuntimeFacts({
  deployment: { runtime_resolved: resolved, runtime_reason: reason, source_config: config },
}: {
  deployment: Deployment;
}) {
  const onRelease = releaseText(config.on_release);
  return (
    <>
      {resolved !== null && (
        <div>
          <dt>Runtime</dt>
          <dd>
            <code>{resolved}</code> <span class="quiet">{reason}</span>
          </dd>
        </div>
      )}
      {onRelease !== null && (
        <div>
          <dt>Waiting threads at a release</dt>
          <dd>{onRelease}</dd>
        </div>
      )}
    </>
  );
}

function Facts({ deployment }: { deployment: Deployment }) {
  const { source_config: config, source_revision_config: at, id, name, url } = deployment;
  const from = at.image_uri ?? config.repo_url ?? 'Uploaded folder';
  return (
    <dl class="facts">
      <div>
        <dt>Address</dt>
        <dd>
          {url === null ? (
            <span class="quiet">
              {deployment.active_revision_id === null ? 'None yet' : 'Nothing answers'}
            </span>
          ) : (
            <a href={url} target="_blank" rel="noreferrer">
              {url}
            </a>
          )}
        </dd>
      </div>
      <OwnHost url={ownHostOf(deployment)} />
      {config.custom_url !== null && config.custom_url !== url && (
        <div>
          <dt>Own address</dt>
          <dd>
            <code>{config.custom_url}</code>
          </dd>
        </div>
      )}
      <div>
        <dt>Source</dt>
        <dd>
          <code class="cut" title={from}>
            {shortSource(from)}
          </code>{' '}
          {at.repo_ref !== null && <code>{at.repo_ref}</code>}
        </dd>
      </div>
      <RuntimeFacts deployment={deployment} />
      {deployment.image_version !== null && (
        <div>
          <dt>Version that serves</dt>
          <dd>
            <code>{deployment.image_version}</code>
          </dd>
        </div>
      )}
      <div>
        <dt>Name and id</dt>
        <dd>
          <code>{name}</code> <Copy text={id} label="Copy id" />
        </dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>
          <Time at={deployment.created_at} />
        </dd>
      </div>
    </dl>
  );
}

function Timeline({ deployment }: { deployment: Deployment }) {
  const canWrite = useCan('deployments:write');
  const list = useRevisions(deployment.id);
  const revisions = list.data?.pages.flatMap(({ resources }) => resources);
  const active = revisions?.find(({ id }) => id === deployment.active_revision_id);
  return (
    <section aria-labelledby="revisions">
      <h2 id="revisions">Revisions</h2>
      {list.error !== null && <Problem error={list.error} retry={() => void list.refetch()} />}
      {revisions === undefined && list.error === null && <Skeleton />}
      {revisions?.length === 0 && (
        <Empty title="Nothing is deployed yet.">
          {canWrite && (
            <p class="quiet">
              In the folder of its source: <code>slipway deploy --name {deployment.name}</code>
            </p>
          )}
        </Empty>
      )}
      <Apart deployment={deployment} newest={revisions?.[0]} />
      {revisions !== undefined && <Durations revisions={revisions} />}
      <ol class="timeline">
        {revisions?.map((revision) => (
          <Entry key={revision.id} revision={revision} deployment={deployment} active={active} />
        ))}
      </ol>
      <LoadMore list={list} />
    </section>
  );
}

type EntryProps = { revision: Revision; deployment: Deployment; active: Revision | undefined };

function Entry({ revision, deployment, active }: EntryProps) {
  const { id, status } = revision;
  const isOpen = isMoving(status);
  const stages = stagesOf(revision, useNow(isOpen));
  const isActive = id === deployment.active_revision_id;
  return (
    <li class={isActive ? 'entry active' : 'entry'}>
      <div class="entry-head">
        <Link class="row-link" href={`/deployments/${deployment.id}/revisions/${id}`} data-row>
          Revision {numberOf(id)}
        </Link>
        <Status of={status} />
        {isActive && !isOpen && <span class="badge">Serving</span>}
        <span class="quiet small when">
          <Time at={revision.created_at} />
          {stages.length > 0 && ` · ${duration(totalOf(stages))}`}
        </span>
      </div>
      <Origin revision={revision} />
      {revision.queue_position !== null && <p class="small">Place in the queue: {revision.queue_position}</p>}
      {revision.status_message !== null && (
        <p class="reason-text">
          <Reason of={revision.status_message} />
        </p>
      )}
      <StageBar stages={stages} />
      <EntryActions revision={revision} deployment={deployment} active={active} />
    </li>
  );
}

/** Where a revision comes from, as far as that is known. */
export function Origin({ revision }: { revision: Revision }) {
  const { source_revision_config: at, commit: told } = revision;
  const cause = causeOf(revision);
  const commit = shortCommit(at.repo_commit_sha);
  const name = at.image_uri ?? at.source_tarball_path?.split('/').at(-1) ?? at.repo_ref;
  return (
    <p class="small quiet origin">
      {name !== undefined && name !== null && <code class="cut">{name}</code>}
      {commit !== null && <code title={at.repo_commit_sha ?? ''}>{commit}</code>}
      {told !== null && (
        <span>
          {told.message.split('\n')[0]} · {told.author}
        </span>
      )}
      {cause !== null && <span>{cause}</span>}
    </p>
  );
}

function EntryActions({ revision, deployment, active }: EntryProps) {
  const canWrite = useCan('deployments:write');
  const [open, setOpen] = useState<'interrupt' | 'again'>();
  if (!canWrite) return null;
  const close = () => setOpen(undefined);
  const { canStop, again: verb } = actionsOn(revision, deployment, active);
  return (
    <div class="entry-actions">
      {canStop && (
        <button type="button" onClick={() => setOpen('interrupt')}>
          Interrupt
        </button>
      )}
      {verb !== undefined && (
        <button
          type="button"
          onClick={() => setOpen('again')}
          aria-label={`${verb} revision ${numberOf(revision.id)}`}
        >
          {verb}
        </button>
      )}
      {open === 'interrupt' && <Interrupt revision={revision} onClose={close} />}
      {open === 'again' && verb !== undefined && (
        <RunAgain revision={revision} current={active} verb={verb} onClose={close} />
      )}
    </div>
  );
}
