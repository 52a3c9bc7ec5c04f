import * as z from 'zod';
import { revisionStatuses } from './revision-status.ts';

export const eventTypes = ['deployment.created', 'deployment.deleted', 'revision.status_changed'] as const;

/** A published event of a deployment. It contains ids, never a configuration. */
export const deploymentEvent = z.object({
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
});
export type DeploymentEvent = z.infer<typeof deploymentEvent>;

export const tokenEventTypes = [
  'oauth_token.created',
  /** It has another access token: refreshed, or granted anew. */
  'oauth_token.renewed',
  /** The provider takes the grant no more. */
  'oauth_token.expired',
  'oauth_token.deleted',
  'connection.created',
  'connection.deleted',
] as const;

/** What happened to a grant at an OAuth provider, or to an agent's connection to it: ids, never a token. */
export const tokenEvent = z.object({
  /** The same however often it is delivered. */
  id: z.string(),
  type: z.enum(tokenEventTypes),
  /** The token's version, which only rises; of a connection always 1. */
  sequence: z.int(),
  /** ISO 8601 UTC. */
  at: z.string(),
  tenant_id: z.string(),
  token_id: z.string(),
  provider_id: z.string(),
  connection_id: z.string().optional(),
  agent_id: z.string().optional(),
});
export type TokenEvent = z.infer<typeof tokenEvent>;

/** Whatever followers are told. */
export type PublishedEvent = DeploymentEvent | TokenEvent;
