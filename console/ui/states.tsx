import type { ComponentChildren } from 'preact';
import { Refusal } from '../../lib/client/refusal.ts';
import { wordsOf } from '../logic/refusal.ts';

/** The outline of what is loading, in about its size. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} class="skeleton-row" />
      ))}
    </div>
  );
}

/** What an empty part of a page is about, drawn in lines: 96 px wide. */
const pictures = {
  deploy: 'M8 60h80M20 60V34h22v26M54 60V22h22v38M31 34V20M26 24l5-5 5 5M60 32h10M60 40h10',
  quiet: 'M8 48h22l8-20 12 34 8-14h30M8 64h80',
  people: 'M36 34a9 9 0 1 0-.1 0M20 60c1-10 8-16 16-16s15 6 16 16M64 36a7 7 0 1 0-.1 0M60 46c8-2 16 4 17 14',
  hook: 'M18 24h36a14 14 0 0 1 0 28H34M42 44l-8 8 8 8M66 60h12',
  talk: 'M22 18h40a6 6 0 0 1 6 6v18a6 6 0 0 1-6 6H40L28 58V48h-6a6 6 0 0 1-6-6V24a6 6 0 0 1 6-6zM28 30h28M28 37h16M76 34h2a6 6 0 0 1 6 6v14a6 6 0 0 1-6 6h-4v8l-9-8H52',
  search: 'M42 52a18 18 0 1 0-.1 0M55 47l18 17M34 34h16',
} as const;
export type Picture = keyof typeof pictures;

/** Nothing is there: what will be, and what to do about that. A picture only where a whole page is empty. */
export const Empty = ({
  title,
  picture,
  children,
}: {
  title: string;
  picture?: Picture;
  children?: ComponentChildren;
}) => (
  <div class="empty">
    {picture !== undefined && (
      <svg class="picture" viewBox="0 0 96 72" width="96" height="72" aria-hidden="true">
        <path d={pictures[picture]} />
      </svg>
    )}
    <p class="empty-title">{title}</p>
    {children}
  </div>
);

/** What went wrong, in the API's own words, and the request to quote. */
export function Problem({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const requestId = error instanceof Refusal ? error.requestId : null;
  return (
    <div class="problem" role="alert">
      <p>{wordsOf(error)}</p>
      {requestId !== null && (
        <p class="quiet small">
          Request <code>{requestId}</code>
        </p>
      )}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
