import type { DeploymentRef } from '../contract/refs.ts';

/** The images of the installation's own registry. */
export type Images = {
  /**
   * Keeps the image that a deployment runs now, and lets go of the one it ran before. An image that is not in
   * the deployment's own repository is left alone. Throws when the registry does not do it.
   */
  hold(owner: DeploymentRef, uri: string): Promise<void>;
  /** Deletes the deployment's repository with all that is in it, if there is one. */
  deleteAll(owner: DeploymentRef): Promise<void>;
};

/** Where there is no registry, nothing can expire in it. */
export const noRegistry: Images = { hold: async () => undefined, deleteAll: async () => undefined };
