import { CompositePrincipal, PolicyDocument, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { pullActions, pushActions } from '../contract/images/actions.ts';
import { nameOf, type Platform } from './platform.ts';

export const pushRoleName = (settings: Platform['settings']): string => nameOf(settings, 'image-push');
export const pullRoleName = (settings: Platform['settings']): string => nameOf(settings, 'image-pull');

/**
 * The roles whose sessions push and pull images. Who makes a session limits it further: to the repository of
 * one deployment, or to those of one tenant.
 */
export class Registry extends Construct {
  constructor(scope: Construct, id: string, platform: Platform, trusted: { push: Role[]; pull: Role[] }) {
    super(scope, id);
    this.#role('PushRole', platform, pushRoleName(platform.settings), pushActions, trusted.push);
    this.#role('PullRole', platform, pullRoleName(platform.settings), pullActions, trusted.pull);
  }

  #role(id: string, { arns }: Platform, roleName: string, actions: readonly string[], trusted: Role[]): void {
    const statements = [
      new PolicyStatement({ actions: [...actions], resources: [arns.repositories] }),
      // The token of a registry is for all of it; what its holder may do is decided by the statement above
      // and the session's own.
      new PolicyStatement({ actions: ['ecr:GetAuthorizationToken'], resources: ['*'] }),
    ];
    new Role(this, id, {
      roleName,
      assumedBy: new CompositePrincipal(...trusted.map((role) => role.grantPrincipal)),
      inlinePolicies: { images: new PolicyDocument({ statements }) },
    });
  }
}
