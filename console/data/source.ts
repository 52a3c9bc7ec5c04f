import { useQuery } from '@tanstack/preact-query';
import type { Answer } from '../../lib/client/endpoints.ts';
import { ask } from './api.ts';

const SOURCE = 'GET /v2/deployments/{deployment_id}/source';
export type Head = Answer<typeof SOURCE>;

/** The git host is asked for it, so it is asked for seldom; no event tells that somebody has pushed. */
const ASKED_MILLISECONDS = 30_000;
/** The service itself keeps what hosts say for about as long. */
const FRESH_MILLISECONDS = 10_000;

/** What the branch of a deployment holds, and what of it does not serve yet; only of one that comes from git. */
export const useHead = (id: string, isEnabled: boolean) =>
  useQuery({
    queryKey: ['deployment', id, 'head'],
    enabled: isEnabled,
    queryFn: ({ signal }) => ask(SOURCE, { params: { deployment_id: id } }, signal),
    staleTime: FRESH_MILLISECONDS,
    refetchInterval: ASKED_MILLISECONDS,
  });
