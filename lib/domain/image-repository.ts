import type { DeploymentRef } from '../contract/refs.ts';

/**
 * Every repository of a deployment is below this; the registry's host may have others that are none of ours.
 */
const FOLDER = 'slipway';

/** One repository a deployment. */
export const repositoryOf = ({ tenantId, deploymentId }: DeploymentRef): string =>
  `${FOLDER}/${tenantId}/${deploymentId}`;

/** All repositories of a tenant, as a pattern. */
export const repositoriesOfTenant = (tenantId: string): string => `${FOLDER}/${tenantId}/*`;

export type OwnImage = { repository: string; id: { imageDigest: string } | { imageTag: string } };

/** The registry of an account in a region, as AWS names it: `<account>.dkr.ecr.<region>.amazonaws.com`. */
const ECR = /^(\d{12})\.dkr\.ecr\.([a-z0-9-]+)\.([a-z0-9.-]+)$/;
/** The domains of its other names: dual-stack ones, and those in China. */
const ECR_DOMAINS = ['amazonaws.com', 'amazonaws.com.cn', 'on.aws', 'on.amazonwebservices.com.cn'];

/** One spelling of a host, whatever its port: ECR answers at one alone. */
const plainHost = (host: string): string => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');

/**
 * Whether a host is a name of this registry. ECR has four in each region, which are all the same: for IPv4 or
 * both versions of IP (`dkr-ecr`), with or without FIPS (`ecr-fips`).
 */
function isRegistry(registryHost: string, host: string): boolean {
  const [own, given] = [plainHost(registryHost), plainHost(host)];
  if (own === given) return true;
  const [, account, region, domain = ''] = ECR.exec(own) ?? [];
  if (account === undefined) return false;
  const services = ['dkr.ecr', 'dkr.ecr-fips', 'dkr-ecr', 'dkr-ecr-fips'];
  return services.some((service) =>
    [domain, ...ECR_DOMAINS].some((each) => given === `${account}.${service}.${region}.${each}`),
  );
}

/**
 * The place of an image in a repository of deployments in this registry; undefined for an image that lies
 * elsewhere. A digest counts before a tag, as it does for who pulls it.
 */
export function ownImage(registryHost: string, uri: string): OwnImage | undefined {
  const [host = '', ...path] = uri.split('/');
  if (path[0] !== FOLDER || !isRegistry(registryHost, host)) return undefined;
  const [name = '', imageDigest] = path.join('/').split('@');
  const [repository = '', imageTag = 'latest'] = name.split(':');
  return { repository, id: imageDigest === undefined ? { imageTag } : { imageDigest } };
}
