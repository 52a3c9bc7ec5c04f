import { type Stage, totalOf } from '../logic/stages.ts';
import { duration } from '../logic/time.ts';

const words = { queue: 'Queued', build: 'Build', deploy: 'Deploy' } as const;
const LEAST_SHARE = 0.02;

/** How a revision's time went, to scale. */
export function StageBar({ stages }: { stages: readonly Stage[] }) {
  const total = totalOf(stages);
  if (total === 0) return null;
  const widths = stages.map(({ milliseconds }) => Math.max(LEAST_SHARE, milliseconds / total));
  const whole = widths.reduce((sum, width) => sum + width, 0);
  let left = 0;
  return (
    <div class="stage-bar">
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        {stages.map(({ kind, isOpen }, index) => {
          const width = ((widths[index] ?? 0) / whole) * 100;
          const x = left;
          left += width;
          return (
            <rect
              key={kind}
              class={isOpen ? `stage ${kind} open` : `stage ${kind}`}
              x={x}
              width={Math.max(0.4, width - 0.4)}
              y="0"
              height="6"
            />
          );
        })}
      </svg>
      <ul>
        {stages.map(({ kind, milliseconds }) => (
          <li key={kind} class={`stage-word ${kind}`}>
            {words[kind]} {duration(milliseconds)}
          </li>
        ))}
      </ul>
    </div>
  );
}
