import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';

/** Credentials that are good for some repositories only. */
export type Session = {
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken: string };
  expiresAt: Date;
};

/** The longest that AWS gives a session of a role to a function, which itself runs in a session of a role. */
const SESSION_SECONDS = 3600;

/**
 * A session of the role that may do these actions on the repositories of this name (`*`: any rest), and log
 * in to the registry.
 */
export async function assumeForRepositories(
  { roleArn, name }: { roleArn: string; name: string },
  actions: readonly string[],
  repositoryName: string,
): Promise<Session> {
  const sts = new STSClient({});
  const region = await sts.config.region();
  const { Credentials: given } = await sts.send(
    new AssumeRoleCommand({
      RoleArn: roleArn,
      RoleSessionName: name,
      DurationSeconds: SESSION_SECONDS,
      Policy: sessionPolicy(actions, repositoryArn(roleArn, region, repositoryName)),
    }),
  );
  const {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: sessionToken,
    Expiration: expiresAt,
  } = given ?? {};
  if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined)
    throw new Error(`STS gave no credentials of ${name}`);
  if (expiresAt === undefined) throw new Error(`STS did not say when the credentials of ${name} expire`);
  return { region, credentials: { accessKeyId, secretAccessKey, sessionToken }, expiresAt };
}

/** In the account and partition of the role. */
function repositoryArn(roleArn: string, region: string, repositoryName: string): string {
  const [, partition, , , account] = roleArn.split(':');
  return `arn:${partition}:ecr:${region}:${account}:repository/${repositoryName}`;
}

/** A token is for the whole registry by its nature; what it opens is what the session may do. */
const sessionPolicy = (actions: readonly string[], repository: string): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Action: 'ecr:GetAuthorizationToken', Resource: '*' },
      { Effect: 'Allow', Action: actions, Resource: repository },
    ],
  });
