import type { Revision } from '../../lib/client/endpoints.ts';
import { numberOf } from '../../lib/client/revision.ts';
import { stagesOf } from '../logic/stages.ts';
import { isMoving, lookOf } from '../logic/status.ts';
import { duration } from '../logic/time.ts';

const SHOWN = 20;
const HEIGHT = 48;
const STEP = 14;
const WIDTH = 10;

/** How long the last finished revisions took to build and to deploy, oldest first. */
export function Durations({ revisions }: { revisions: readonly Revision[] }) {
  const bars = revisions
    .filter(({ status }) => !isMoving(status))
    .slice(0, SHOWN)
    .reverse()
    .map((revision) => {
      const spent = (kind: 'build' | 'deploy') =>
        stagesOf(revision, 0).find((stage) => stage.kind === kind)?.milliseconds ?? 0;
      return { revision, build: spent('build'), deploy: spent('deploy') };
    })
    .filter(({ build, deploy }) => build + deploy > 0);
  if (bars.length < 2) return null;
  const most = Math.max(...bars.map(({ build, deploy }) => build + deploy));
  const height = (milliseconds: number) => (milliseconds / most) * HEIGHT;
  return (
    <figure class="durations">
      <figcaption class="small quiet">
        Build and deploy, the last {bars.length} that finished; the longest took {duration(most)}
      </figcaption>
      <svg
        width={bars.length * STEP}
        height={HEIGHT + 8}
        role="img"
        aria-label={bars
          .map(
            ({ revision, build, deploy }) => `Revision ${numberOf(revision.id)}: ${duration(build + deploy)}`,
          )
          .join(', ')}
      >
        {bars.map(({ revision, build, deploy }, index) => (
          <g key={revision.id} transform={`translate(${index * STEP} 0)`}>
            <title>{`Revision ${numberOf(revision.id)}: build ${duration(build)}, deploy ${duration(deploy)}`}</title>
            <rect
              class="stage build"
              x="0"
              width={WIDTH}
              y={HEIGHT - height(build + deploy)}
              height={height(build)}
            />
            <rect
              class="stage deploy"
              x="0"
              width={WIDTH}
              y={HEIGHT - height(deploy)}
              height={height(deploy)}
            />
            <rect
              class={`mark-${lookOf(revision.status).tone}`}
              x="0"
              width={WIDTH}
              y={HEIGHT + 4}
              height="3"
            />
          </g>
        ))}
      </svg>
    </figure>
  );
}
