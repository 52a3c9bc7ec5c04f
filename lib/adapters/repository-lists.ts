import type { IntegrationType } from '../contract/integration-types.ts';

export type SeenRepository = {
  /** As its host numbers it; undefined where a host does not. */
  id: number | undefined;
  owner: string;
  name: string;
  /** What a deployment is made from. */
  url: string;
  /** Undefined: nothing was pushed to it. */
  defaultBranch: string | undefined;
};

/** The host does not take the token, or may not be asked; `message` says why, without the token. */
export class ListingRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ListingRefused';
  }
}

/** The host does not answer as it should; `message` names it, with what is wrong in brackets. */
export class HostFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HostFailed';
  }
}

/** What tokens see on hosts of repositories. */
export type RepositoryLists = {
  /** One page, in the order of the host. Throws ListingRefused and HostFailed. */
  list(
    access: { type: IntegrationType; host: string; token: string },
    page: { offset: number; limit: number },
  ): Promise<SeenRepository[]>;
};
