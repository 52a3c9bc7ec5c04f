import * as z from 'zod';
import { lazy } from './lazy.ts';
import { revisionStatuses } from './revision-status.ts';

export const eventTypes = ['deployment.created', 'deployment.deleted', 'revision.status_changed'] as const;

/** What happened to a deployment, told to whoever follows it: ids, never a configuration. */
export const deploymentEvent = lazy(() =>
  z.object({
    /** The same however often it is delivered. */
    id: z.string(),
    type: z.enum(eventTypes),
    /** Counts the events of its deployment from 1 without gaps: delivery keeps no order, this does. */
    sequence: z.int(),
    /** ISO 8601 UTC. */
    at: z.string(),
    tenant_id: z.string(),
    deployment_id: z.string(),
    revision_id: z.string().optional(),
    status: z.enum(revisionStatuses).optional(),
  }),
);
export type DeploymentEvent = z.infer<ReturnType<typeof deploymentEvent>>;
