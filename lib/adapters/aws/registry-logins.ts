import { ECRClient, GetAuthorizationTokenCommand } from '@aws-sdk/client-ecr';
import { pullActions } from '../../contract/images/actions.ts';
import { repositoriesOfTenant } from '../../domain/image-repository.ts';
import type { Registry, RegistryLogin } from '../registry.ts';
import { pushTo } from './registry.ts';
import { assumeForRepositories, type Session } from './registry-session.ts';

export type RegistryLoginOptions = {
  /** Without one there is no registry. */
  registryHost: string | undefined;
  /** The roles whose sessions push and pull; a function has the one that it needs. */
  pushRoleArn: string | undefined;
  pullRoleArn: string | undefined;
};

/**
 * Logins to ECR, each made with a session that is cut down to the repositories it is for. Undefined without a
 * registry.
 */
export function createEcrLogins(options: RegistryLoginOptions): Registry | undefined {
  const { registryHost, pushRoleArn, pullRoleArn } = options;
  if (registryHost === undefined) return undefined;
  return {
    async pushLogin(owner) {
      if (pushRoleArn === undefined) throw new Error('no role to push with is set');
      const { repository, session } = await pushTo({ registryHost, pushRoleArn }, owner);
      return { ...(await login(registryHost, session)), repository };
    },
    async pullLogin(tenantId) {
      if (pullRoleArn === undefined) throw new Error('no role to pull with is set');
      const role = { roleArn: pullRoleArn, name: `pull-${tenantId}` };
      return login(
        registryHost,
        await assumeForRepositories(role, pullActions, repositoriesOfTenant(tenantId)),
      );
    },
  };
}

/** The token says that it is good for longer, but it opens nothing any more when its session has ended. */
async function login(registryHost: string, session: Session): Promise<RegistryLogin> {
  const { region, credentials, expiresAt } = session;
  const ecr = new ECRClient({ region, credentials });
  const { authorizationData = [] } = await ecr.send(new GetAuthorizationTokenCommand({}));
  const token = Buffer.from(authorizationData[0]?.authorizationToken ?? '', 'base64').toString();
  const colon = token.indexOf(':');
  if (colon <= 0) throw new Error('ECR gave no authorization token');
  return {
    registryHost,
    username: token.slice(0, colon),
    password: token.slice(colon + 1),
    expiresAt: expiresAt.toISOString(),
  };
}
