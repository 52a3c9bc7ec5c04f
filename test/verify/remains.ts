import { paginateScan } from '@aws-sdk/client-dynamodb';
import { paginateDescribeVpcs } from '@aws-sdk/client-ec2';
import { DeleteRepositoryCommand, paginateDescribeRepositories } from '@aws-sdk/client-ecr';
import { paginateListRoles } from '@aws-sdk/client-iam';
import { DescribeKeyCommand, paginateListAliases } from '@aws-sdk/client-kms';
import { GetParameterCommand, paginateGetParametersByPath } from '@aws-sdk/client-ssm';
import { absent } from './absent.ts';
import type { Account } from './account.ts';
import { all } from './pages.ts';

// What of an environment outlives its stacks when something goes wrong, where no list of stacks shows it.

/** What can be known of an environment only while it is there. */
export type Facts = { tableName: string | undefined; tenantIds: string[]; keyId: string | undefined };

/** Reads what is still known of an environment, whatever is there of it. */
export async function factsOf(account: Account, environment: string): Promise<Facts> {
  const tableName = await tableNameOf(account, environment);
  const aliases = await aliasesOf(account, environment);
  return {
    tableName,
    tenantIds: tableName === undefined ? [] : await tenantsIn(account, tableName),
    keyId: aliases[0]?.keyId,
  };
}

async function tableNameOf({ clients }: Account, environment: string): Promise<string | undefined> {
  const { Parameter } = await clients.parameters
    .send(new GetParameterCommand({ Name: `/slipway/${environment}/data/tableName` }))
    .catch(absent(/ParameterNotFound/, { Parameter: undefined }));
  return Parameter?.Value;
}

/** The table of a run is small. */
async function tenantsIn({ clients: { tables: client } }: Account, TableName: string): Promise<string[]> {
  const asked = {
    TableName,
    FilterExpression: 'entity = :tenant',
    ExpressionAttributeValues: { ':tenant': { S: 'tenant' } },
  };
  const items = await all(paginateScan({ client }, asked), (page) => page.Items).catch(
    absent(/ResourceNotFound/, []),
  );
  return items.flatMap(({ tenant_id: id }) => id?.S ?? []);
}

/** Deletes what each deployment has had made for its images. */
export async function deleteRepositories(account: Account, facts: Facts): Promise<void> {
  for (const repositoryName of await repositoriesOf(account, facts))
    await account.clients.repositories.send(new DeleteRepositoryCommand({ repositoryName, force: true }));
}

/** What is still there, in words. Nothing should be, but the key, which waits for its deletion. */
export async function remainsOf(account: Account, environment: string, facts: Facts): Promise<string[]> {
  const found = await Promise.all([
    named('repository', repositoriesOf(account, facts)),
    named('network', networksOf(account, environment)),
    named('role', rolesOf(account, environment)),
    named('parameter', parametersOf(account, environment)),
    named(
      'alias of a key',
      aliasesOf(account, environment).then((aliases) => aliases.map(({ name }) => name)),
    ),
    named('key that is not to be deleted', keysKept(account, facts)),
  ]);
  return found.flat();
}

const named = async (kind: string, names: Promise<string[]>): Promise<string[]> =>
  (await names).map((name) => `${kind} ${name}`);

async function repositoriesOf(
  { clients: { repositories: client } }: Account,
  { tenantIds }: Facts,
): Promise<string[]> {
  if (tenantIds.length === 0) return [];
  const found = await all(paginateDescribeRepositories({ client }, {}), (page) => page.repositories);
  return found
    .map(({ repositoryName = '' }) => repositoryName)
    .filter((name) => tenantIds.some((id) => name.startsWith(`slipway/${id}/`)));
}

async function networksOf(
  { clients: { networks: client } }: Account,
  environment: string,
): Promise<string[]> {
  const Filters = [
    { Name: 'tag:application', Values: ['slipway'] },
    { Name: 'tag:environment', Values: [environment] },
  ];
  const found = await all(paginateDescribeVpcs({ client }, { Filters }), (page) => page.Vpcs);
  return found.map(({ VpcId = '' }) => VpcId);
}

async function rolesOf({ clients: { roles: client } }: Account, environment: string): Promise<string[]> {
  const found = await all(paginateListRoles({ client }, {}), (page) => page.Roles);
  return found
    .map(({ RoleName = '' }) => RoleName)
    .filter((name) => name.startsWith(`slipway-${environment}-`));
}

async function parametersOf(
  { clients: { parameters: client } }: Account,
  environment: string,
): Promise<string[]> {
  const pages = paginateGetParametersByPath({ client }, { Path: `/slipway/${environment}`, Recursive: true });
  return (await all(pages, (page) => page.Parameters)).map(({ Name = '' }) => Name);
}

type Alias = { name: string; keyId: string | undefined };

async function aliasesOf({ clients: { keys: client } }: Account, environment: string): Promise<Alias[]> {
  const found = await all(paginateListAliases({ client }, {}), (page) => page.Aliases);
  return found
    .filter(({ AliasName }) => AliasName?.startsWith(`alias/slipway-${environment}-`) === true)
    .map(({ AliasName: name = '', TargetKeyId: keyId }) => ({ name, keyId }));
}

async function keysKept({ clients }: Account, { keyId: KeyId }: Facts): Promise<string[]> {
  if (KeyId === undefined) return [];
  const { KeyMetadata } = await clients.keys
    .send(new DescribeKeyCommand({ KeyId }))
    .catch(absent(/NotFound/, { KeyMetadata: undefined }));
  const isGoing = KeyMetadata === undefined || KeyMetadata.KeyState === 'PendingDeletion';
  return isGoing ? [] : [`${KeyId} (${KeyMetadata.KeyState})`];
}
