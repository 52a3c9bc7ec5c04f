/** Names one deployment: what is stored of it lies under its tenant. */
export type DeploymentRef = { tenantId: string; deploymentId: string };

/** Names one revision, in the input of its execution, of its tasks and of its build. */
export type RevisionRef = DeploymentRef & { revisionId: string };

/** Names one listener. */
export type ListenerRef = { tenantId: string; listenerId: string };
