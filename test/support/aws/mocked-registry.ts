import {
  CreateRepositoryCommand,
  ECRClient,
  GetAuthorizationTokenCommand,
  PutLifecyclePolicyCommand,
} from '@aws-sdk/client-ecr';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { mockClient } from 'aws-sdk-client-mock';

/** What the session is good until; the token of the registry claims more. */
export const EXPIRES_AT = '2026-01-01T01:00:00.000Z';

/** A registry that gives everybody the login `AWS`, `password`. */
export function mockRegistry() {
  const ecr = mockClient(ECRClient);
  const sts = mockClient(STSClient);
  const behave = (): void => {
    ecr.on(CreateRepositoryCommand).resolves({});
    ecr.on(PutLifecyclePolicyCommand).resolves({});
    ecr.on(GetAuthorizationTokenCommand).resolves({
      authorizationData: [
        {
          authorizationToken: Buffer.from('AWS:password').toString('base64'),
          expiresAt: new Date('2026-01-01T12:00:00.000Z'),
        },
      ],
    });
    sts.on(AssumeRoleCommand).resolves({
      Credentials: {
        AccessKeyId: 'session-id',
        SecretAccessKey: 'session-secret',
        SessionToken: 'session',
        Expiration: new Date(EXPIRES_AT),
      },
    });
  };
  behave();
  return {
    ecr,
    sts,
    reset(): void {
      ecr.reset();
      sts.reset();
      behave();
    },
  };
}
