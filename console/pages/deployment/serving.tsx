import { useState } from 'preact/hooks';
import type { Deployment, Revision } from '../../../lib/client/endpoints.ts';
import { numberOf } from '../../../lib/client/revision.ts';
import { type Metrics, useMetrics } from '../../data/metrics.ts';
import { useRevision } from '../../data/queries.ts';
import { useHead } from '../../data/source.ts';
import { runtimeWord } from '../../logic/agent-runtime.ts';
import { amount, bytes, cores } from '../../logic/amount.ts';
import { crashLoopIn } from '../../logic/metrics.ts';
import { described, makerOf, takersOver, titleOf } from '../../logic/revision-list.ts';
import { isFromGit, repositoryName } from '../../logic/source.ts';
import { shortAgo } from '../../logic/time.ts';
import { Face } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import { circleAlert, circleCheck, gitBranch, loaderCircle } from '../../ui/icons.ts';
import { Part } from '../../ui/part.tsx';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { ShortTime, useNow } from '../../ui/time.tsx';
import { Sha } from './commit.tsx';

const charts = () => import('../lazy-charts.ts').then((part) => part.ServingCharts);

type Props = { deployment: Deployment; revisions: readonly Revision[] | undefined };

/** What serves: of what commit, since when, and how it does over the last hour. */
export function Serving({ deployment, revisions }: Props) {
  const [isTable, setTable] = useState(false);
  const { id, active_revision_id: activeId } = deployment;
  const { data: metrics, error, refetch } = useMetrics(id, 'hour');
  const listed = revisions?.find((each) => each.id === activeId);
  const found = useRevision(id, listed === undefined && revisions !== undefined ? activeId : null);
  const active = listed ?? found.data;
  return (
    <>
      {metrics !== undefined && <CrashLoop deployment={deployment} metrics={metrics} />}
      <Card
        title="Serving"
        meta="last hour"
        beside={
          <Button kind="quiet" isSmall aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? 'Show as charts' : 'Show as table'}
          </Button>
        }
      >
        <div class="serving">
          <div class="about">
            {active === undefined ? (
              <Skeleton rows={4} />
            ) : (
              <Facts {...{ deployment, active, metrics }} replaced={replacedBy(active, revisions)} />
            )}
          </div>
          {error !== null && metrics === undefined && <Problem error={error} retry={() => void refetch()} />}
          {error === null && metrics === undefined && <Skeleton />}
          {metrics !== undefined && (
            <Part
              load={charts}
              meanwhile={<Skeleton />}
              deploymentId={id}
              metrics={metrics}
              isTable={isTable}
            />
          )}
        </div>
      </Card>
    </>
  );
}

/** The number of the revision that this one took over from, where the list has it. */
const replacedBy = (active: Revision, revisions: readonly Revision[] = []): number | undefined => {
  const before = [...takersOver(revisions)].find(([, taker]) => taker.id === active.id)?.[0];
  return before === undefined ? undefined : numberOf(before);
};

/** Servers that start again and again, before anything else on the page. */
function CrashLoop({
  deployment: { id, active_revision_id: active },
  metrics,
}: {
  deployment: Deployment;
  metrics: Metrics;
}) {
  const loop = crashLoopIn(metrics.total, Date.now());
  if (loop === undefined || active === null) return null;
  const { now } = metrics;
  const isDown = now?.servers_ready === 0;
  return (
    <div class="problem" role="alert">
      <h2 class="line bad">
        <Icon of={circleAlert} /> The server keeps restarting
      </h2>
      <p>
        {amount(loop.restarts)} restarts in the last 15 minutes
        {loop.reason !== '' && `: ${loop.reason}`}.{' '}
        {isDown ? 'Nobody gets an answer while it is down.' : 'Requests fail while it is down.'}
      </p>
      <ButtonLink isSmall href={`/deployments/${id}/revisions/${active}?log=deploy`}>
        Open the log
      </ButtonLink>
    </div>
  );
}

type FactsProps = {
  deployment: Deployment;
  active: Revision;
  metrics: Metrics | undefined;
  replaced: number | undefined;
};

function Facts({ deployment, active: bare, metrics, replaced }: FactsProps) {
  const { data: head } = useHead(deployment.id, isFromGit(deployment));
  const active = described(bare, head);
  const { source_config: config, source_revision_config: at } = deployment;
  const maker = makerOf(active);
  const since =
    active.status_history.findLast(({ status }) => status === 'DEPLOYED')?.at ?? active.updated_at;
  const from = at.image_uri ?? config.repo_url ?? 'Uploaded folder';
  return (
    <>
      <div>
        <h3>{titleOf(active)}</h3>
        <p class="line tight dim">
          {maker !== null && (
            <>
              <Face name={maker} />
              <span class="cut">{maker}</span>
            </>
          )}
          <Sha sha={active.source_revision_config.repo_commit_sha} template={head?.commit_url} />
        </p>
      </div>
      <dl>
        <dt>Revision</dt>
        <dd>
          {numberOf(active.id)}
          <span class="meta">
            <Since at={since} />
            {replaced !== undefined && `, replaced revision ${replaced}`}
          </span>
        </dd>
        <dt>From</dt>
        <dd>
          <Icon of={gitBranch} />
          <span class="cut" title={from}>
            {repositoryName(from)}
            {at.repo_ref !== null && ` · ${at.repo_ref}`}
          </span>
        </dd>
        {metrics !== undefined && metrics.now !== null && <Now now={metrics.now} />}
        <Runtime deployment={deployment} />
      </dl>
    </>
  );
}

function Runtime({
  deployment: { runtime_resolved: runtime, runtime_reason: reason },
}: {
  deployment: Deployment;
}) {
  if (runtime === null) return null;
  return (
    <>
      <dt>Runtime</dt>
      <dd>
        <span class="cut" title={reason ?? undefined}>
          {runtimeWord(runtime)}
        </span>
      </dd>
    </>
  );
}

/** `for 2 h`; within the first moments, `since just now`. */
const Since = ({ at }: { at: string }) => {
  const text = shortAgo(at, useNow());
  return <time dateTime={at}>{text === 'now' ? 'since just now' : `for ${text}`}</time>;
};

/** How it does at this moment; what is not known is left out. */
function Now({ now }: { now: NonNullable<Metrics['now']> }) {
  const { servers_wanted: wanted, servers_ready: ready, cpu_cores: cpu, memory_bytes: memory } = now;
  const isReady = wanted !== null && ready !== null && ready >= wanted;
  return (
    <>
      {ready !== null && (
        <>
          <dt>Servers</dt>
          <dd>
            <Icon
              of={isReady ? circleCheck : ready === 0 ? circleAlert : loaderCircle}
              class={isReady ? 'ok' : ready === 0 ? 'bad' : 'busy'}
            />
            {ready}
            {wanted !== null && ` of ${wanted}`} ready
          </dd>
        </>
      )}
      <Restarts now={now} />
      {cpu !== null && (
        <>
          <dt>Processor</dt>
          <dd>
            {cores(cpu)} {now.cpu_limit === null ? 'cores' : `of ${cores(now.cpu_limit)} cores`}
          </dd>
        </>
      )}
      {memory !== null && (
        <>
          <dt>Memory</dt>
          <dd>
            {bytes(memory)}
            {now.memory_limit !== null && ` of ${bytes(now.memory_limit)}`}
          </dd>
        </>
      )}
    </>
  );
}

function Restarts({
  now: { restarts_day: restarts, last_restart: last },
}: {
  now: NonNullable<Metrics['now']>;
}) {
  if (restarts === null) return null;
  return (
    <>
      <dt>Restarts</dt>
      <dd class={restarts > 0 ? 'warn' : undefined}>
        <span>
          {restarts === 0 ? 'None in 24 h' : `${amount(restarts)} in 24 h`}
          {restarts > 0 && last !== null && (
            <span class="meta">
              {' '}
              last <ShortTime at={last.at} /> ago{last.reason !== '' && `: ${last.reason}`}
            </span>
          )}
        </span>
      </dd>
    </>
  );
}
