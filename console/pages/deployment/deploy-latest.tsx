import { useLocation } from 'wouter-preact';
import type { Deployment } from '../../../lib/client/endpoints.ts';
import { numberOf, origins } from '../../../lib/client/revision.ts';
import { type Head, useHead } from '../../data/source.ts';
import { wordOf } from '../../logic/configuration.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { CommitLines } from './commit.tsx';

const CREATE = 'POST /v2/deployments/{deployment_id}/revisions';

/** What a deployment follows where it names no branch. */
const BRANCH = 'main';

type Props = { deployment: Deployment; onClose: () => void };

/** Makes a revision of the newest commit, or of the image that a name stands for now, after saying which that is. */
export function DeployLatest({ deployment, onClose }: Props) {
  const { id, source, source_revision_config: at } = deployment;
  const [place, go] = useLocation();
  const isGit = origins[source] === 'repository';
  const ref = at.repo_ref ?? BRANCH;
  const wish = isGit ? { repo_ref: ref } : { image_uri: at.image_uri };
  return (
    <ActionDialog
      title={isGit ? `Deploy the newest commit of ${ref}?` : 'Deploy this image again?'}
      verb={isGit ? 'Deploy latest' : 'Deploy again'}
      endpoint={CREATE}
      parts={{ params: { deployment_id: id }, body: { source_revision_config: wish } }}
      onClose={onClose}
      onDone={(made) => {
        onClose();
        const href = `/deployments/${id}/revisions/${made.id}`;
        // Who looks at a revision that failed wants to see the next one.
        if (place.includes('/revisions/')) go(href);
        else
          toast({ text: `Revision ${numberOf(made.id)} is on its way.`, action: { title: 'Watch', href } });
      }}
    >
      {isGit ? <Newest deployment={deployment} /> : <p class="mono">{at.image_uri}</p>}
      <Meanwhile deployment={deployment} />
    </ActionDialog>
  );
}

/** What goes on serving, and what beside the commit will be another. */
function Meanwhile({
  deployment: { active_revision_id: active, active_configuration: own },
}: {
  deployment: Deployment;
}) {
  const differs = (own?.fields ?? []).map(wordOf);
  return (
    <p class="dim">
      {active === null
        ? 'Nothing serves yet. '
        : `Revision ${numberOf(active)} serves until the new one is ready; no request is lost. `}
      {differs.length > 0 && `It takes on what was changed in the settings since: ${differs.join(', ')}.`}
    </p>
  );
}

function Newest({ deployment: { id } }: { deployment: Deployment }) {
  const { data: head, error } = useHead(id, true);
  if (error !== null) return <Problem error={error} />;
  if (head === undefined) return <Skeleton rows={2} />;
  return (
    <>
      {head.problem !== null && <p class="problem">{head.problem}</p>}
      {head.head !== null && <CommitLines commit={head.head} template={head.commit_url} />}
      <Difference head={head} isBeside />
    </>
  );
}

/** What the branch brings, seen from what serves; `isBeside`: the newest commit stands there already. */
export function Difference({ head, isBeside = false }: { head: Head; isBeside?: boolean }) {
  const { serving, more, compare_url: url, relation } = head;
  const commits = isBeside ? head.commits.filter(({ sha }) => sha !== head.head?.sha) : head.commits;
  if (serving === null) return null;
  if (relation === 'same')
    return (
      <p class="dim">
        Revision {serving.number} runs this commit already. It is built again, with today’s settings and
        secrets.
      </p>
    );
  return (
    <>
      <p>
        {saysOf(head)}{' '}
        {url !== null && (
          <a href={url} target="_blank" rel="noreferrer">
            See the difference
          </a>
        )}
      </p>
      {commits.length > 0 && (
        <ol class="commits">
          {commits.map((commit) => (
            <li key={commit.sha}>
              <CommitLines commit={commit} template={head.commit_url} />
            </li>
          ))}
          {more && <li class="dim">And older ones</li>}
        </ol>
      )}
    </>
  );
}

function saysOf({ serving, commits, more, relation }: Head): string {
  const from = `revision ${serving?.number ?? ''}, which serves now`;
  if (relation === 'diverged')
    return `The branch was rewritten: it does not hold the commit of ${from} any more.`;
  if (relation === 'ahead')
    return `The branch was set back: its newest commit is older than that of ${from}.`;
  if (relation === 'unknown' || commits.length === 0) return `Another commit than that of ${from}.`;
  const count = `${more ? 'More than ' : ''}${commits.length}`;
  return `${count} ${commits.length === 1 && !more ? 'commit' : 'commits'} since ${from}.`;
}
