import type { Deployment } from '../../../lib/client/endpoints.ts';
import { numberOf } from '../../../lib/client/revision.ts';
import { useRevisions } from '../../data/queries.ts';
import { titleOf } from '../../logic/revision-list.ts';
import { Choice } from '../../ui/choice.tsx';
import { LogView } from '../../ui/log-view.tsx';
import { useParameters } from '../../ui/parameters.ts';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { NothingYet } from './revisions.tsx';

/** The logs of a revision that is chosen; at first of what serves. */
export function Logs({ deployment }: { deployment: Deployment }) {
  const [search, change] = useParameters();
  const list = useRevisions(deployment.id);
  const revisions = list.data?.pages.flatMap(({ resources }) => resources);
  if (list.error !== null) return <Problem error={list.error} retry={() => void list.refetch()} />;
  if (revisions === undefined) return <Skeleton rows={8} />;
  const wanted = search.get('revision');
  const revision =
    revisions.find(({ id }) => String(numberOf(id)) === wanted) ??
    revisions.find(({ id }) => id === deployment.active_revision_id) ??
    revisions[0];
  if (revision === undefined) return <NothingYet deployment={deployment} />;
  return (
    <LogView
      key={revision.id}
      revision={revision}
      which={
        <Choice
          isSmall
          label="Revision"
          value={String(numberOf(revision.id))}
          options={revisions.map((each) => ({
            value: String(numberOf(each.id)),
            title: `Revision ${numberOf(each.id)}`,
            hint: each.id === deployment.active_revision_id ? 'serves' : titleOf(each).slice(0, 40),
          }))}
          onChange={(number) => change({ revision: number, line: '', at: '' })}
        />
      }
    />
  );
}
