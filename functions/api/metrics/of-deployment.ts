import { clock, metricsSource, table } from '../../../lib/container.ts';
import { getDeploymentMetrics } from '../../../lib/features/metrics/of-deployment.ts';
import { getDeploymentMetrics as row } from '../../../lib/features/metrics/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, getDeploymentMetrics);
export const handler = create(() => ({ table: table(), clock, metricsSource: metricsSource() }));
