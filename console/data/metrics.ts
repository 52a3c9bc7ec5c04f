import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import type { Answer } from '../../lib/client/endpoints.ts';
import { type Span, spans } from '../logic/metrics.ts';
import { ask } from './api.ts';

const METRICS = 'GET /v2/deployments/{deployment_id}/metrics';
export type Metrics = Answer<typeof METRICS>;

/** Listeners tell of each minute once; there is nothing newer in between. */
const MINUTE_MILLISECONDS = 60_000;

/** What was measured of a deployment over a time that ends now, asked again every minute while it is seen. */
export const useMetrics = (id: string, span: Span, isEnabled = true) =>
  useQuery({
    queryKey: ['metrics', id, span],
    enabled: isEnabled,
    queryFn: ({ signal }) => {
      const { seconds, step } = spans[span];
      const from = new Date(Date.now() - seconds * 1_000).toISOString();
      return ask(METRICS, { params: { deployment_id: id }, query: { from, step } }, signal);
    },
    placeholderData: keepPreviousData,
    staleTime: MINUTE_MILLISECONDS,
    refetchInterval: MINUTE_MILLISECONDS,
  });
