import { CreateTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateTagsCommand, CreateVpcCommand } from '@aws-sdk/client-ec2';
import { CreateRepositoryCommand } from '@aws-sdk/client-ecr';
import { CreateRoleCommand } from '@aws-sdk/client-iam';
import {
  CreateAliasCommand,
  CreateKeyCommand,
  DeleteAliasCommand,
  ScheduleKeyDeletionCommand,
} from '@aws-sdk/client-kms';
import { PutParameterCommand } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Account, closeAccount, openAccount } from '../verify/account.ts';
import { deleteRepositories, factsOf, remainsOf } from '../verify/remains.ts';
import { closeGround, type Ground, openGround, variablesOf } from './installation.ts';

let ground: Ground;
let account: Account;

beforeAll(async () => {
  ground = await openGround();
  for (const [name, value] of Object.entries(variablesOf(ground.emulator))) vi.stubEnv(name, value);
  account = await openAccount();
});

afterAll(async () => {
  closeAccount(account);
  vi.unstubAllEnvs();
  expect(await closeGround(ground)).toEqual([]);
});

/** What an installation in this environment would have, each as small as it can be. */
async function make(environment: string): Promise<{ networkId: string; keyId: string }> {
  const { keys, networks, parameters, repositories, roles, tables } = account.clients;
  const TableName = `table-${environment}`;
  const Name = `/slipway/${environment}/data/tableName`;
  await parameters.send(new PutParameterCommand({ Name, Value: TableName, Type: 'String' }));
  await tables.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    }),
  );
  const Item = { pk: { S: 'a' }, entity: { S: 'tenant' }, tenant_id: { S: `tenant-${environment}` } };
  await tables.send(new PutItemCommand({ TableName, Item }));
  const repositoryName = `slipway/tenant-${environment}/deployment`;
  await repositories.send(new CreateRepositoryCommand({ repositoryName }));
  const RoleName = `slipway-${environment}-drive`;
  await roles.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: '{}' }));
  const { Vpc } = await networks.send(new CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
  const networkId = Vpc?.VpcId ?? '';
  const Tags = Object.entries({ application: 'slipway', environment }).map(([Key, Value]) => ({
    Key,
    Value,
  }));
  await networks.send(new CreateTagsCommand({ Resources: [networkId], Tags }));
  const { KeyMetadata } = await keys.send(new CreateKeyCommand({}));
  const keyId = KeyMetadata?.KeyId ?? '';
  const AliasName = `alias/slipway-${environment}-secrets`;
  await keys.send(new CreateAliasCommand({ AliasName, TargetKeyId: keyId }));
  return { networkId, keyId };
}

it('npm run verify:aws finds what is left of its environment in ECR, VPC, IAM, SSM and KMS, and nothing of another', async () => {
  await make('prod');
  const nothing = await factsOf(account, 'verify-1');
  expect(await remainsOf(account, 'verify-1', nothing)).toEqual([]);
  const { networkId, keyId } = await make('verify-1');
  const facts = await factsOf(account, 'verify-1');
  expect(await remainsOf(account, 'verify-1', facts)).toEqual([
    'repository slipway/tenant-verify-1/deployment',
    `network ${networkId}`,
    'role slipway-verify-1-drive',
    'parameter /slipway/verify-1/data/tableName',
    'alias of a key alias/slipway-verify-1-secrets',
    `key that is not to be deleted ${keyId} (Enabled)`,
  ]);
  await deleteRepositories(account, facts);
  await account.clients.keys.send(new DeleteAliasCommand({ AliasName: 'alias/slipway-verify-1-secrets' }));
  await account.clients.keys.send(new ScheduleKeyDeletionCommand({ KeyId: keyId }));
  const after = await remainsOf(account, 'verify-1', facts);
  expect(after.map((one) => one.split(' ')[0])).toEqual(['network', 'role', 'parameter']);
});
