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

/** Nothing is there, and what to do about that. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
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
