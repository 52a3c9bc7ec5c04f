import * as z from 'zod';
import { route } from '../../contract/routes/route.ts';
import { id } from '../../contract/validation/query.ts';
import { exposedView, metricsQuery, metricsView } from './shape.ts';

export const getDeploymentMetrics = route({
  operation: 'getDeploymentMetrics',
  method: 'GET',
  path: '/v2/deployments/{deployment_id}/metrics',
  handler: 'functions/api/metrics/of-deployment.ts',
  access: ['table:get', 'table:query', 'compute:measure'],
  variables: ['MEASURED_CLUSTER', 'MEASURED_LISTENER_ARN'],
  area: 'deployments',
  permission: 'deployments:read',
  summary: 'What was measured of a deployment',
  success: 200,
  params: z.object({ deployment_id: id }),
  query: metricsQuery,
  response: metricsView,
  errors: ['deployment_not_found'],
});

export const exposeMetrics = route({
  operation: 'exposeMetrics',
  method: 'GET',
  path: '/v2/metrics',
  handler: 'functions/api/metrics/expose.ts',
  access: ['table:get', 'table:query'],
  area: 'deployments',
  permission: 'deployments:read',
  summary: 'What was measured of all deployments of a tenant, as text for Prometheus',
  success: 200,
  contentTypes: ['text/plain'],
  response: exposedView,
});
