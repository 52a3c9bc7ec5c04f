import type { Deployment, Revision } from '../../../lib/client/endpoints.ts';
import { numberOf } from '../../../lib/client/revision.ts';
import { useCan } from '../../data/permissions.ts';
import { effectOf, failureOf } from '../../logic/failure.ts';
import { isFailed } from '../../logic/revision-list.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { circleX, fileText, info } from '../../ui/icons.ts';
import { Notice } from '../../ui/notice.tsx';
import { Reason } from '../../ui/reason.tsx';

type Props = { revision: Revision; deployment: Deployment };

/** Why a revision is as it is: what went wrong, what that means for users, and the lines that say why. */
export function Why({ revision, deployment }: Props) {
  const { status, status_message: message } = revision;
  if (message === null) return null;
  if (!isFailed(status))
    return (
      <Notice icon={info}>
        <span class="pre">
          <Reason of={message} />
        </span>
      </Notice>
    );
  return <Failed revision={revision} deployment={deployment} message={message} />;
}

function Failed({ revision, deployment, message }: Props & { message: string }) {
  const canReadLogs = useCan('logs:read');
  const { title, lines } = failureOf(message);
  const { active_revision_id: active, id } = deployment;
  const log = revision.status === 'DEPLOY_FAILED' ? 'deploy' : 'build';
  return (
    <section class="card why" aria-label="What went wrong">
      <div class="body">
        <h2 class="bad">
          <Icon of={circleX} />
          <span>{title}</span>
        </h2>
        <p>{effectOf(active === null ? null : numberOf(active))}</p>
        {lines.length > 0 && (
          <div class="code wrap" tabIndex={0} role="region" aria-label="The lines that matter">
            {lines.map(({ text, isHit }, index) => (
              <span key={index} class={isHit ? 'hit' : 'd'}>
                {text}
              </span>
            ))}
          </div>
        )}
        {canReadLogs === true && (
          <div class="line">
            <ButtonLink
              isSmall
              icon={fileText}
              href={`/deployments/${id}/revisions/${revision.id}?log=${log}&level=ERROR`}
            >
              Errors in the log
            </ButtonLink>
          </div>
        )}
      </div>
    </section>
  );
}
