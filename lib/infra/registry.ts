import { PolicyDocument, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { pushActions } from '../contract/push-actions.ts';
import { nameOf, type Platform } from './platform.ts';

export const pushRoleName = (settings: Platform['settings']): string => nameOf(settings, 'image-push');

/** The role whose sessions push images: whoever starts a build makes one that is limited to the repository of one deployment. */
export class Registry extends Construct {
  readonly pushRole: Role;

  constructor(scope: Construct, id: string, platform: Platform, trusted: Role) {
    super(scope, id);
    const statements = [
      new PolicyStatement({ actions: [...pushActions], resources: [platform.arns.repositories] }),
      // The token of a registry is for all of it; what its holder may do is decided by the statement above and the session's own.
      new PolicyStatement({ actions: ['ecr:GetAuthorizationToken'], resources: ['*'] }),
    ];
    this.pushRole = new Role(this, 'PushRole', {
      roleName: pushRoleName(platform.settings),
      assumedBy: trusted.grantPrincipal,
      inlinePolicies: { push: new PolicyDocument({ statements }) },
    });
  }
}
