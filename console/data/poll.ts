import { QueryClient } from '@tanstack/preact-query';
import { Refusal } from '../../lib/client/refusal.ts';

const TRIES_MAX = 2;

/** What asking again may mend. */
export const isPassing = (error: Error | null): boolean =>
  error !== null && (!(error instanceof Refusal) || error.isPassing);

/** What is shown stays true by the feed of events alone: it says what to ask for again, and when. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // What the browser thinks of the network is no answer of the API, which may be on this very machine.
      networkMode: 'always',
      retry: (count, error) => count < TRIES_MAX && isPassing(error),
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      staleTime: 1_000,
    },
    mutations: { networkMode: 'always' },
  },
});
