/**
 * Every status a revision can have, in the order of a successful life, then the ways it can end otherwise.
 */
export const revisionStatuses = [
  'CREATING',
  'QUEUED',
  'AWAITING_BUILD',
  'BUILDING',
  'AWAITING_DEPLOY',
  'DEPLOYING',
  'CREATE_FAILED',
  'BUILD_FAILED',
  'DEPLOY_FAILED',
  'DEPLOYED',
  'SKIPPED',
  'INTERRUPTED',
  'UNKNOWN',
] as const;

export type RevisionStatus = (typeof revisionStatuses)[number];

/** What makes a revision. `push`: a git host told of it; `head`: a look at the branch found it. */
export const revisionCauses = ['request', 'redeploy', 'push', 'head'] as const;
export type RevisionCause = (typeof revisionCauses)[number];

export const deploymentStatuses = ['UNUSED', 'READY', 'UNKNOWN', 'AWAITING_DELETE'] as const;
/** Of other services of this kind. Clients filter both lists by them, and nothing here has them. */
export const foreignStatuses = ['AWAITING_DATABASE', 'AWAITING_FINAL_DELETE'] as const;

export type DeploymentStatus = (typeof deploymentStatuses)[number];

export const sources = ['github', 'external_docker', 'internal_docker', 'internal_source'] as const;
export type Source = (typeof sources)[number];

/** What a revision runs: a server that serves the graphs of a `langgraph.json`, or any other. */
export const agentServers = ['langgraph', 'other'] as const;
export type AgentServer = (typeof agentServers)[number];
