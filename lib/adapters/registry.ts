import type { DeploymentRef } from '../contract/refs.ts';

/** What `docker login` takes, and until when it is good (ISO 8601 UTC). */
export type RegistryLogin = { registryHost: string; username: string; password: string; expiresAt: string };

/** Credentials for the installation's own image registry. */
export type Registry = {
  /**
   * Pushes to this deployment's repository, which is there then, and to no other. `repository` is without a
   * tag.
   */
  pushLogin(owner: DeploymentRef): Promise<RegistryLogin & { repository: string }>;
  /** Pulls the images of this tenant's deployments, and no others. */
  pullLogin(tenantId: string): Promise<RegistryLogin>;
};
