import { Link } from 'wouter-preact';
import type { Deployment, Revision } from '../../../lib/client/endpoints.ts';
import { numberOf } from '../../../lib/client/revision.ts';
import { barOf, isFailed, makerOf, type Standing, standingOf, titleOf } from '../../logic/revision-list.ts';
import { stagesOf, totalOf } from '../../logic/stages.ts';
import { isMoving } from '../../logic/status.ts';
import { duration } from '../../logic/time.ts';
import { Face, State } from '../../ui/badge.tsx';
import {
  check,
  circleCheck,
  circleMinus,
  circleX,
  clock,
  type Icon,
  loaderCircle,
  triangleAlert,
} from '../../ui/icons.ts';
import { ShortTime, useNow } from '../../ui/time.tsx';
import { Sha } from './commit.tsx';
import { RevisionMenu } from './revision-menu.tsx';

const icons: Record<Standing['shape'], Icon> = {
  disc: circleCheck,
  spinner: loaderCircle,
  cross: circleX,
  ring: clock,
  triangle: triangleAlert,
  bar: circleMinus,
  check,
};

export const StandingState = ({ of: { tone, shape, word } }: { of: Standing }) => (
  <State tone={tone} icon={icons[shape]} isTurning={shape === 'spinner'}>
    {word}
  </State>
);

type Props = {
  revision: Revision;
  deployment: Deployment;
  /** What serves. */
  active: Revision | undefined;
  /** The revision that took over from it. */
  later: Revision | undefined;
  /** The longest life in the list, in milliseconds. */
  longest: number;
  commitUrl: string | null | undefined;
};

/** A revision in one line: how it stands, what it is of, whose it is, and how its time went. */
export function RevisionRow({ revision, deployment, active, later, longest, commitUrl }: Props) {
  const { id, status, created_at: at, source_revision_config: source } = revision;
  const now = useNow(isMoving(status));
  const stages = stagesOf(revision, now);
  const total = totalOf(stages);
  const maker = makerOf(revision);
  const title = titleOf(revision);
  const isActive = id === deployment.active_revision_id;
  return (
    <li class="rev" data-active={isActive ? '' : undefined}>
      <span class="state-cell line">
        <Link
          class="row-link"
          href={`/deployments/${deployment.id}/revisions/${id}`}
          aria-label={`Revision ${numberOf(id)}`}
          data-row
        >
          {numberOf(id)}
        </Link>
        <StandingState of={standingOf(revision, deployment, later)} />
      </span>
      <span class="cut msg wide" title={title}>
        {title}
      </span>
      <span class="wide">
        <Sha sha={source.repo_commit_sha} template={commitUrl} />
      </span>
      <span class="who-cell wide" title={maker ?? undefined}>
        {maker !== null && (
          <>
            <Face name={maker} />
            <span class="cut">{maker}</span>
          </>
        )}
      </span>
      <span class="wide">
        <Bars revision={revision} longest={longest} now={now} />
      </span>
      <span class="num dim wide">{total > 0 && duration(total)}</span>
      <span class="num meta wide">
        <ShortTime at={at} />
      </span>
      <span class="more-cell">
        <RevisionMenu revision={revision} deployment={deployment} active={active} />
      </span>
      <span class="only-narrow below dim cut">
        {title}
        <span class="meta">
          {' · '}
          {maker !== null && `${maker}, `}
          <ShortTime at={at} />
        </span>
      </span>
    </li>
  );
}

const words = { queue: 'in the queue', build: 'to build', deploy: 'to deploy' } as const;

/** How the time of a revision went, on the scale of its list. */
export function Bars({ revision, longest, now }: { revision: Revision; longest: number; now: number }) {
  const stages = stagesOf(revision, now);
  if (stages.length === 0) return null;
  const says = stages.map(({ kind, milliseconds }) => `${duration(milliseconds)} ${words[kind]}`).join(', ');
  return (
    <svg class="stages" role="img" aria-label={says}>
      <title>{says}</title>
      {barOf(stages, longest, isFailed(revision.status)).map(({ kind, x, width }) => (
        <rect key={kind} class={`stage ${kind}`} x={`${x}%`} width={`${width}%`} height="6" />
      ))}
    </svg>
  );
}
