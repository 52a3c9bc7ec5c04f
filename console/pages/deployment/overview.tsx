import { Link } from 'wouter-preact';
import type { Deployment } from '../../../lib/client/endpoints.ts';
import { useRevisions } from '../../data/queries.ts';
import { Card } from '../../ui/card.tsx';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { Apart } from '../apart.tsx';
import { CompareLink, NothingYet, Rows } from './revisions.tsx';
import { Serving } from './serving.tsx';
import { Undeployed } from './undeployed.tsx';

const SHOWN = 8;

/** What serves and how, what is not deployed yet, and the newest revisions. */
export function Overview({ deployment }: { deployment: Deployment }) {
  const list = useRevisions(deployment.id);
  const revisions = list.data?.pages.flatMap(({ resources }) => resources);
  return (
    <>
      {deployment.active_revision_id !== null && <Serving deployment={deployment} revisions={revisions} />}
      <Undeployed deployment={deployment} />
      <Apart deployment={deployment} newest={revisions?.[0]} />
      <Card title="Revisions" class="revisions" beside={<CompareLink deployment={deployment} />}>
        {list.error !== null && <Problem error={list.error} retry={() => void list.refetch()} />}
        {revisions === undefined && list.error === null && <Skeleton rows={4} />}
        {revisions?.length === 0 && <NothingYet deployment={deployment} />}
        <Rows deployment={deployment} revisions={revisions?.slice(0, SHOWN)} />
        {(revisions?.length ?? 0) > SHOWN && (
          <footer class="card-foot">
            <Link class="b quiet s" href={`/deployments/${deployment.id}/revisions`}>
              All revisions
            </Link>
          </footer>
        )}
      </Card>
    </>
  );
}
