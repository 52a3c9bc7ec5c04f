import type { Deployment, Revision } from '../../../lib/client/endpoints.ts';
import { numberOf } from '../../../lib/client/revision.ts';
import { useCan } from '../../data/permissions.ts';
import { useDeployment, useRevision, useRevisions } from '../../data/queries.ts';
import { useHead } from '../../data/source.ts';
import { causeOf } from '../../logic/cause.ts';
import { described, isFailed, makerOf, titleOf } from '../../logic/revision-list.ts';
import { isFromGit } from '../../logic/source.ts';
import { isMoving } from '../../logic/status.ts';
import { usualBuild } from '../../logic/steps.ts';
import { Badge, Face } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { circleCheck, gitCompare } from '../../ui/icons.ts';
import { Page } from '../../ui/page.tsx';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { Sha } from '../deployment/commit.tsx';
import { RevisionMenu } from '../deployment/revision-menu.tsx';
import { Configuration } from './configuration.tsx';
import { NextSteps } from './next-steps.tsx';
import { RevisionLog } from './revision-log.tsx';
import { Steps } from './steps.tsx';
import { Why } from './why.tsx';

/** A revision: why it is as it is, what to do next, what it was made with, and its logs. */
export function RevisionPage({ id, revisionId }: { id: string; revisionId: string }) {
  const { data, error, refetch } = useRevision(id, revisionId);
  const { data: deployment } = useDeployment(id);
  const name = deployment?.display_name ?? deployment?.name ?? 'Deployment';
  const isThere = data !== undefined && deployment !== undefined;
  return (
    <Page
      title={`Revision ${numberOf(revisionId)}`}
      above={[
        { title: 'Deployments', path: '/deployments' },
        { title: name, path: `/deployments/${id}` },
      ]}
      head={isThere ? headOf(data, deployment) : {}}
      permissions={['deployments:read']}
    >
      {data === undefined && error === null && <Skeleton rows={8} />}
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {isThere && <Whole revision={data} deployment={deployment} />}
    </Page>
  );
}

const headOf = (revision: Revision, deployment: Deployment) => ({
  badge:
    deployment.active_revision_id === revision.id && !isMoving(revision.status) ? (
      <Badge tone="ok" icon={circleCheck}>
        Serving
      </Badge>
    ) : (
      <Status of={revision.status} isBadge />
    ),
  under: <Origin revision={revision} deployment={deployment} />,
  actions: <Actions revision={revision} deployment={deployment} />,
});

type Props = { revision: Revision; deployment: Deployment };

/** Who made it, of what, and when. */
function Origin({ revision: bare, deployment }: Props) {
  const { data: head } = useHead(deployment.id, isFromGit(deployment));
  const revision = described(bare, head);
  const maker = makerOf(revision);
  const cause = causeOf(revision);
  return (
    <div class="line tight dim made">
      {maker !== null && (
        <>
          <Face name={maker} />
          <span>{maker}</span>
        </>
      )}
      <span class="cut">
        {maker === null ? titleOf(revision) : `${verbs[revision.cause.kind]} “${titleOf(revision)}”`}
      </span>
      <Sha sha={revision.source_revision_config.repo_commit_sha} template={head?.commit_url} />
      <span class="meta">
        <Time at={revision.created_at} />
      </span>
      {cause !== null && <span class="meta">{cause}</span>}
    </div>
  );
}

const verbs = { push: 'pushed', head: 'pushed', request: 'deployed', redeploy: 'ran again' } as const;

function Actions({ revision, deployment }: Props) {
  const { active_revision_id: activeId, id } = deployment;
  const { data: active } = useRevision(id, activeId);
  const number = numberOf(revision.id);
  const other = activeId === null || activeId === revision.id ? number - 1 : numberOf(activeId);
  return (
    <>
      {other > 0 && (
        <ButtonLink
          icon={gitCompare}
          href={`/deployments/${id}/compare?from=${Math.min(other, number)}&to=${Math.max(other, number)}`}
        >
          Compare with {other}
        </ButtonLink>
      )}
      <RevisionMenu revision={revision} deployment={deployment} active={active} />
    </>
  );
}

function Whole({ revision, deployment }: Props) {
  const canRead = useCan('logs:read');
  const list = useRevisions(deployment.id);
  const revisions = list.data?.pages.flatMap(({ resources }) => resources) ?? [];
  const newer = revisions.filter(({ id }) => numberOf(id) > numberOf(revision.id));
  return (
    <div class="two">
      <div>
        <Steps revision={revision} usual={usualBuild(revisions)} />
        <Why revision={revision} deployment={deployment} />
        {(isFailed(revision.status) || revision.status === 'INTERRUPTED') && (
          <NextSteps revision={revision} deployment={deployment} newer={newer} />
        )}
        <Configuration revision={revision} />
      </div>
      {canRead === true && (
        <RevisionLog revision={revision} live={newer.findLast(({ status }) => isMoving(status))} />
      )}
    </div>
  );
}
