import { Refusal } from '../../lib/client/refusal.ts';

const again: Record<number, string> = {
  0: 'The API does not answer. What is shown may be old; it is asked again by itself.',
  429: 'Too many requests. It is tried again by itself.',
  503: 'The service is busy or restarting. It is tried again by itself.',
};

/** What to say of an error: the API's own words where there are some. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Something went wrong.';
  // A gateway before the service has none.
  const isOwn = !(error instanceof Refusal) || error.code !== undefined;
  return (isOwn ? undefined : again[error.status]) ?? error.message;
}
