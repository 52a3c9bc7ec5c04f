/**
 * Every repository of a deployment is below this; the registry's host may have others that are none of ours.
 */
const FOLDER = 'slipway';

/** One repository a deployment. */
export const repositoryOf = ({
  tenantId,
  deploymentId,
}: {
  tenantId: string;
  deploymentId: string;
}): string => `${FOLDER}/${tenantId}/${deploymentId}`;

/** All repositories of a tenant, as a pattern. */
export const repositoriesOfTenant = (tenantId: string): string => `${FOLDER}/${tenantId}/*`;

export type OwnImage = { repository: string; id: { imageDigest: string } | { imageTag: string } };

/**
 * The place of an image in a repository of deployments in this registry; undefined for an image that lies
 * elsewhere. A digest counts before a tag, as it does for who pulls it.
 */
export function ownImage(registryHost: string, uri: string): OwnImage | undefined {
  const [host = '', ...path] = uri.split('/');
  if (path[0] !== FOLDER || host.toLowerCase().replace(/:443$/, '') !== registryHost.toLowerCase())
    return undefined;
  const [name = '', imageDigest] = path.join('/').split('@');
  const [repository = '', imageTag = 'latest'] = name.split(':');
  return { repository, id: imageDigest === undefined ? { imageTag } : { imageDigest } };
}
