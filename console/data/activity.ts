import { useQuery } from '@tanstack/preact-query';
import { ask } from './api.ts';

/** Keys end and listeners fall silent without an event. */
const LOOK_AGAIN_MILLISECONDS = 300_000;
const NEWEST = 10;

/** What needs somebody; asked again with every event. */
export const useAttention = (isEnabled = true) =>
  useQuery({
    queryKey: ['attention'],
    enabled: isEnabled,
    queryFn: ({ signal }) => ask('GET /v2/attention', {}, signal),
    refetchInterval: LOOK_AGAIN_MILLISECONDS,
  });

/** The newest of what happened; asked again with every event. */
export const useNewest = (isEnabled: boolean) =>
  useQuery({
    queryKey: ['activity'],
    enabled: isEnabled,
    queryFn: ({ signal }) => ask('GET /v2/activity', { query: { limit: NEWEST } }, signal),
  });
