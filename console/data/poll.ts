import { QueryClient } from '@tanstack/preact-query';
import { Refusal } from './api.ts';

/**
 * How what is shown stays true: it is asked again, quickly while something moves, and never in a tab that
 * nobody sees. The one place that says when, so that a feed of events can take its place.
 */
export const MOVING_MILLISECONDS = 2_000;
export const STILL_MILLISECONDS = 15_000;

export const pollEvery = (isMoving: boolean): number => (isMoving ? MOVING_MILLISECONDS : STILL_MILLISECONDS);

const TRIES_MAX = 2;

/** What asking again may mend: no answer, too many requests, a fault of the service. */
const isPassing = (error: Error): boolean =>
  !(error instanceof Refusal) || error.status === 0 || error.status === 429 || error.status >= 500;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // What the browser thinks of the network is no answer of the API, which may be on this very machine.
      networkMode: 'always',
      retry: (count, error) => count < TRIES_MAX && isPassing(error),
      refetchIntervalInBackground: false,
      refetchOnWindowFocus: true,
      refetchOnReconnect: true,
      staleTime: 1_000,
    },
    mutations: { networkMode: 'always' },
  },
});
