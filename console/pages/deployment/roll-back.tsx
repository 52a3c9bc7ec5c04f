import { useState } from 'preact/hooks';
import type { Deployment } from '../../../lib/client/endpoints.ts';
import { numberOf } from '../../../lib/client/revision.ts';
import { useRevision, useRevisions } from '../../data/queries.ts';
import { standings, titleOf } from '../../logic/revision-list.ts';
import { Choice } from '../../ui/choice.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { RunAgain } from '../revision-actions.tsx';

const SERVED = { status: [...standings.served.statuses] };

type Props = { deployment: Deployment; activeId: string; onClose: () => void };

/** Runs an earlier revision again: by default the one that served before. */
export function RollBack({ deployment: { id }, activeId, onClose }: Props) {
  const list = useRevisions(id, SERVED);
  const { data: active, error } = useRevision(id, activeId);
  const [chosen, setChosen] = useState('');
  const earlier = list.data?.pages
    .flatMap(({ resources }) => resources)
    .filter((each) => numberOf(each.id) < numberOf(activeId));
  const problem = list.error ?? error;
  const revision = earlier?.find((each) => each.id === chosen) ?? earlier?.[0];
  if (revision === undefined || active === undefined)
    return (
      <Dialog title="Roll back?" onClose={onClose}>
        {problem !== null && <Problem error={problem} />}
        {problem === null && earlier === undefined && <Skeleton rows={3} />}
        {earlier?.length === 0 && (
          <p>No revision served before this one, so there is nothing to go back to.</p>
        )}
        <form method="dialog" class="actions">
          <button type="submit" class="b">
            Close
          </button>
        </form>
      </Dialog>
    );
  const options = (earlier ?? []).map((each) => ({
    value: each.id,
    title: `${numberOf(each.id)} · ${titleOf(each)}`,
  }));
  return (
    <RunAgain revision={revision} current={active} verb="Roll back" onClose={onClose}>
      {options.length > 1 && (
        <Choice label="Revision" value={revision.id} options={options} onChange={setChosen} />
      )}
    </RunAgain>
  );
}
