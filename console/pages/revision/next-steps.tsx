import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Deployment, Revision } from '../../../lib/client/endpoints.ts';
import { numberOf, origins } from '../../../lib/client/revision.ts';
import { useCan } from '../../data/permissions.ts';
import { useRevision } from '../../data/queries.ts';
import { type Head, useHead } from '../../data/source.ts';
import { actionsOn } from '../../logic/actions.ts';
import { makerOf, titleOf } from '../../logic/revision-list.ts';
import { stagesOf, totalOf } from '../../logic/stages.ts';
import { isMoving } from '../../logic/status.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import {
  circleCheck,
  loaderCircle,
  rocket,
  rotateCcw,
  type Icon as Shapes,
  settings,
  square,
  upload,
} from '../../ui/icons.ts';
import { Time, useNow } from '../../ui/time.tsx';
import { headlineOf } from '../deployment/commit.tsx';
import { DeployLatest } from '../deployment/deploy-latest.tsx';
import { Bars } from '../deployment/revision-row.tsx';
import { UploadAgain } from '../deployment/upload-again.tsx';
import { Interrupt, RunAgain } from '../revision-actions.tsx';

type Props = {
  revision: Revision;
  deployment: Deployment;
  /** Revisions after it, newest first. */
  newer: readonly Revision[];
};

type Opened = 'stop' | 'latest' | 'upload' | 'again';

/** What may mend a revision that failed, the likeliest first. */
export function NextSteps({ revision, deployment, newer }: Props) {
  const canWrite = useCan('deployments:write');
  const [open, setOpen] = useState<Opened>();
  const { data: active } = useRevision(deployment.id, deployment.active_revision_id);
  const close = () => setOpen(undefined);
  if (canWrite !== true || deployment.status === 'AWAITING_DELETE') return null;
  const { again } = actionsOn(revision, deployment, active);
  const live = newer.findLast(({ status }) => isMoving(status));
  const mended = newer.find(({ id }) => id === deployment.active_revision_id);
  const isUpload = origins[deployment.source] === 'upload';
  return (
    <Card title="What to do next">
      <ul class="rows next">
        {live !== undefined && <Live revision={live} stop={() => setOpen('stop')} />}
        {live === undefined && mended !== undefined && <Mended deployment={deployment} revision={mended} />}
        {isUpload && (
          <Row icon={upload} title="Upload again" says="Drop the folder with the fix in it.">
            <Button isSmall onClick={() => setOpen('upload')}>
              Upload again
            </Button>
          </Row>
        )}
        {!isUpload && <Latest {...{ deployment, revision, live }} choose={() => setOpen('latest')} />}
        {again !== undefined && (
          <Row
            icon={rotateCcw}
            title={isUpload ? 'This folder again' : 'This commit again'}
            says="Helps when a secret was missing, or when something outside was down."
          >
            <Button isSmall onClick={() => setOpen('again')}>
              {revision.status === 'BUILD_FAILED' ? 'Build again' : 'Deploy again'}
            </Button>
          </Row>
        )}
        <Row icon={settings} title="Change the settings" says="A command, a secret or a limit may be wrong.">
          <ButtonLink isSmall href={`/deployments/${deployment.id}/settings`}>
            Settings
          </ButtonLink>
        </Row>
      </ul>
      {open === 'stop' && live !== undefined && <Interrupt revision={live} onClose={close} />}
      {open === 'latest' && <DeployLatest deployment={deployment} onClose={close} />}
      {open === 'upload' && <UploadAgain deployment={deployment} onClose={close} />}
      {open === 'again' && again !== undefined && (
        <RunAgain revision={revision} current={active} verb={again} onClose={close} />
      )}
    </Card>
  );
}

type RowProps = {
  icon: Shapes;
  isTurning?: boolean;
  tone?: string;
  title: string;
  says: ComponentChildren;
  below?: ComponentChildren;
  children: ComponentChildren;
};

const Row = ({ icon, isTurning = false, tone = '', title, says, below, children }: RowProps) => (
  <li>
    <Icon of={icon} isTurning={isTurning} class={tone} />
    <div>
      <p>
        <b>{title}</b>
      </p>
      <p class="dim">{says}</p>
      {below}
    </div>
    {children}
  </li>
);

function Live({ revision, stop }: { revision: Revision; stop: () => void }) {
  const now = useNow(true);
  const maker = makerOf(revision);
  return (
    <Row
      icon={loaderCircle}
      isTurning
      tone="busy"
      title={`Revision ${numberOf(revision.id)} is on its way`}
      says={
        <>
          “{titleOf(revision)}”{maker !== null && `, ${maker}`}, <Time at={revision.created_at} />
        </>
      }
      below={<Bars revision={revision} longest={totalOf(stagesOf(revision, now))} now={now} />}
    >
      <Button isSmall icon={square} onClick={stop}>
        Stop
      </Button>
    </Row>
  );
}

const Mended = ({ deployment, revision }: { deployment: Deployment; revision: Revision }) => (
  <Row
    icon={circleCheck}
    tone="ok"
    title={`Fixed: revision ${numberOf(revision.id)} serves`}
    says={`“${titleOf(revision)}” came after this one.`}
  >
    <ButtonLink isSmall href={`/deployments/${deployment.id}/revisions/${revision.id}`}>
      Open {numberOf(revision.id)}
    </ButtonLink>
  </Row>
);

type LatestProps = {
  deployment: Deployment;
  revision: Revision;
  live: Revision | undefined;
  choose: () => void;
};

/** The newest commit, which may hold the fix; of an image, what its name stands for now. */
function Latest({ deployment, revision, live, choose }: LatestProps) {
  const isGit = origins[deployment.source] === 'repository';
  const { data: found } = useHead(deployment.id, isGit);
  const head = found?.head ?? null;
  const after = live === undefined ? '' : ` Starts after ${numberOf(live.id)}.`;
  const isSame = head !== null && head.sha === revision.source_revision_config.repo_commit_sha;
  return (
    <Row
      icon={rocket}
      title={isGit ? 'Deploy latest' : 'Deploy the image again'}
      says={
        <>
          {!isGit && 'What its name stands for now.'}
          {isGit && isSame && 'The branch has nothing newer than this commit yet: push the fix first.'}
          {isGit && head === null && 'The newest commit, once the fix is pushed.'}
          {head !== null && !isSame && <Headline head={head} />}
          {!isSame && after}
        </>
      }
    >
      <Button isSmall onClick={choose}>
        {isGit ? 'Deploy latest' : 'Deploy again'}
      </Button>
    </Row>
  );
}

const Headline = ({ head: { message, author, at } }: { head: NonNullable<Head['head']> }) => (
  <>
    “{headlineOf(message)}”{author !== null && ` by ${author}`}
    {at !== null && (
      <>
        , <Time at={at} />
      </>
    )}
    .
  </>
);
