/** Names one deployment: ids of different tenants may be the same. */
export type DeploymentRef = { tenantId: string; deploymentId: string };

/** Names one revision, in the input of its execution, of its tasks and of its build. */
export type RevisionRef = DeploymentRef & { revisionId: string };
