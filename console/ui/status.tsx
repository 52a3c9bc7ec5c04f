import type { Revision } from '../../lib/client/endpoints.ts';
import { isEmptyFirst } from '../../lib/client/revision.ts';
import { type Look, lookOf, type Shape } from '../logic/status.ts';
import { Badge, State } from './badge.tsx';
import { circleCheck, circleMinus, circleX, clock, type Icon, loaderCircle, triangleAlert } from './icons.ts';

const icons: Record<Shape, Icon> = {
  disc: circleCheck,
  spinner: loaderCircle,
  cross: circleX,
  ring: clock,
  triangle: triangleAlert,
  bar: circleMinus,
};

/** A status by its icon, its word and its colour; `isBadge`: on a ground, once a page, beside the title. */
export const Status = ({ of, isBadge = false }: { of: string; isBadge?: boolean }) => (
  <Standing of={lookOf(of)} isBadge={isBadge} />
);

/** The same of what is no status alone, such as how a deployment stands. */
export function Standing({ of: { tone, shape, word }, isBadge = false }: { of: Look; isBadge?: boolean }) {
  const As = isBadge ? Badge : State;
  return (
    <As tone={tone} icon={icons[shape]} isTurning={shape === 'spinner'}>
      {word}
    </As>
  );
}

/** How the newest revision of a deployment stands; null: it was not asked for. */
export function NewestStatus({ of: newest }: { of: Revision | null }) {
  if (newest === null) return null;
  if (isEmptyFirst(newest)) return <span class="quiet">Nothing deployed yet</span>;
  return <Status of={newest.status} />;
}
