import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';

/** Where the CDK deploys to. */
export type Account = { id: string; region: string };

/** What the CDK's command line tells its app; undefined where it knows no account (`cdk synth` offline). */
export function accountIn({
  CDK_DEFAULT_ACCOUNT: id,
  CDK_DEFAULT_REGION: region,
}: NodeJS.ProcessEnv): Account | undefined {
  return id === undefined || region === undefined ? undefined : { id, region };
}

/**
 * Makes sure that what this program reads lies in the account that the CDK deploys to: with `--profile` the
 * CDK takes other credentials than its app. Throws when they are of different accounts.
 */
export async function checkIdentity({ id, region }: Account): Promise<void> {
  const client = new STSClient({ region });
  const { Account: own } = await client
    .send(new GetCallerIdentityCommand({}))
    .finally(() => client.destroy());
  if (own === id) return;
  throw new Error(
    `the CDK deploys to account ${id}, and these credentials are of account ${own ?? '(unknown)'}`,
  );
}

/** The account that these credentials are of. Throws with what to do where there are none, or no region. */
export async function openAccount(region: string | undefined): Promise<Account> {
  const client = new STSClient(region === undefined ? {} : { region });
  try {
    const own = await client.config.region().catch(() => undefined);
    if (own === undefined) throw new Error('No AWS region is known. Say --region REGION, or set AWS_REGION.');
    const { Account: id } = await client.send(new GetCallerIdentityCommand({}));
    if (id === undefined) throw new Error('AWS does not say which account these credentials are of.');
    return { id, region: own };
  } finally {
    client.destroy();
  }
}
