import { useState } from 'preact/hooks';
import type { Deployment } from '../../../lib/client/endpoints.ts';
import { origins } from '../../../lib/client/revision.ts';
import { type Head, useHead } from '../../data/source.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { circleAlert, gitCommitHorizontal } from '../../ui/icons.ts';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { headlineOf } from './commit.tsx';
import { Difference } from './deploy-latest.tsx';

/** That the branch has commits which do not serve, and which those are. */
export function Undeployed({ deployment: { id, source } }: { deployment: Deployment }) {
  const [isOpen, setOpen] = useState(false);
  const { data: head } = useHead(id, origins[source] === 'repository');
  if (head === undefined) return null;
  if (head.problem !== null)
    return (
      <Notice icon={circleAlert} tone="warn">
        {head.problem}
      </Notice>
    );
  const says = countOf(head);
  if (says === undefined) return null;
  const [newest] = head.commits;
  return (
    <>
      <Notice
        icon={gitCommitHorizontal}
        action={
          <Button kind="quiet" isSmall onClick={() => setOpen(true)}>
            See the difference
          </Button>
        }
      >
        <b>{says}</b>{' '}
        {newest !== undefined && (
          <span class="dim wide">
            {headlineOf(newest.message) !== '' && `Newest: “${headlineOf(newest.message)}”`}
            {newest.author !== null && `, ${newest.author}`}
            {newest.at !== null && (
              <>
                , <Time at={newest.at} />
              </>
            )}
          </span>
        )}
      </Notice>
      {isOpen && (
        <Dialog title={says.replace(/\.$/, '')} onClose={() => setOpen(false)}>
          <Difference head={head} />
          <form method="dialog" class="actions">
            <button type="submit" class="b">
              Close
            </button>
          </form>
        </Dialog>
      )}
    </>
  );
}

/** `2 commits on main are not deployed.`; undefined: all of them are, or are on their way. */
function countOf({ branch, head, latest, serving, commits, more, relation }: Head): string | undefined {
  if (branch === null || head === null || serving === null || relation === 'same' || relation === null)
    return undefined;
  if (latest !== null && latest.sha === head.sha && isOnItsWay(latest.status)) return undefined;
  if (relation === 'diverged') return `${branch} was rewritten: what serves is not on it any more.`;
  if (relation === 'ahead') return `What serves is newer than ${branch}.`;
  if (commits.length === 0) return undefined;
  if (commits.length === 1 && !more) return `1 commit on ${branch} is not deployed.`;
  return `${more ? 'More than ' : ''}${commits.length} commits on ${branch} are not deployed.`;
}

const isOnItsWay = (status: string): boolean => !/_FAILED$|^(?:DEPLOYED|SKIPPED|INTERRUPTED)$/.test(status);
