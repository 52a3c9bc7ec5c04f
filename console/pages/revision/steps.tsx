import type { Revision } from '../../../lib/client/endpoints.ts';
import { isMoving } from '../../logic/status.ts';
import { type Step, stepsOf } from '../../logic/steps.ts';
import { Icon } from '../../ui/icon.tsx';
import { check, circleDashed, loaderCircle, x } from '../../ui/icons.ts';
import { useNow } from '../../ui/time.tsx';

const looks = {
  done: { icon: check, tone: 'ok' },
  open: { icon: loaderCircle, tone: 'busy' },
  failed: { icon: x, tone: 'bad' },
  ahead: { icon: circleDashed, tone: 'idle' },
} as const satisfies Record<Step['state'], unknown>;

/** How far a revision came, and how long each step took. */
export function Steps({ revision, usual }: { revision: Revision; usual: number | undefined }) {
  const steps = stepsOf(revision, useNow(isMoving(revision.status)), usual);
  return (
    <ol class="card steps" aria-label="Steps">
      {steps.map(({ title, state, says }) => (
        <li key={title}>
          <span class={`line tight ${looks[state].tone}`}>
            <Icon of={looks[state].icon} isTurning={state === 'open'} />
            <b>{title}</b>
          </span>
          <span class="meta">{says}</span>
        </li>
      ))}
    </ol>
  );
}
