import type { Revision } from '../../lib/client/endpoints.ts';
import { isEmptyFirst } from '../../lib/client/revision.ts';
import { lookOf, type Shape } from '../logic/status.ts';

const shapes: Record<Shape, preact.JSX.Element> = {
  disc: <circle cx="6" cy="6" r="5" fill="currentColor" />,
  spinner: (
    <circle
      class="spin"
      cx="6"
      cy="6"
      r="4.5"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-dasharray="14 14"
    />
  ),
  cross: (
    <path
      d="M2 2l8 8M10 2l-8 8"
      fill="none"
      stroke="currentColor"
      stroke-width="2.2"
      stroke-linecap="round"
    />
  ),
  ring: <circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" stroke-width="1.6" />,
  triangle: (
    <path d="M6 1.2l5 9.3H1z" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round" />
  ),
  bar: <path d="M2 6h8" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" />,
};

/** A status by its shape, its word and its colour. */
export function Status({ of }: { of: string }) {
  const { tone, shape, word } = lookOf(of);
  return (
    <span class={`status ${tone}`}>
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        {shapes[shape]}
      </svg>
      {word}
    </span>
  );
}

/** How the newest revision of a deployment stands; null: it was not asked for. */
export function NewestStatus({ of: newest }: { of: Revision | null }) {
  if (newest === null) return null;
  if (isEmptyFirst(newest)) return <span class="quiet">Nothing deployed yet</span>;
  return <Status of={newest.status} />;
}
