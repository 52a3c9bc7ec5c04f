import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
} from '@aws-sdk/client-secrets-manager';
import type { DeploymentRef } from '../../contract/refs.ts';
import type { NewServers } from '../managed.ts';
import { type Aws, unless } from './clients.ts';
import { placeTags } from './names.ts';

/** An item holds 64 KiB of JSON; names of members and quotes are counted too. */
const ITEM_BYTES_MAX = 60_000;

type Variable = { name: string; value: string };
/** Where the task definition says that a variable lies. */
export type Placed = { name: string; valueFrom: string };

/** A set's variables, as few items as they fit into. */
export function itemsOf(environment: readonly Variable[]): Variable[][] {
  const items: Variable[][] = [];
  let left = 0;
  for (const variable of environment) {
    const bytes = Buffer.byteLength(JSON.stringify(variable.value)) + 16;
    if (items.length === 0 || bytes > left) {
      items.push([]);
      left = ITEM_BYTES_MAX;
    }
    items.at(-1)?.push(variable);
    left -= bytes;
  }
  return items;
}

const prefixOf = ({ options }: Aws, { tenantId, deploymentId }: DeploymentRef, key: string): string =>
  `${options.secretPrefix}/${tenantId}/${deploymentId}/${key}-`;

/**
 * Stores a set's variables, and gives where each lies. Members are called by their place: a reference ends at
 * a colon, which the name of a variable may hold.
 */
export async function storeVariables(aws: Aws, place: DeploymentRef, set: NewServers): Promise<Placed[]> {
  const placed: Placed[] = [];
  for (const [index, variables] of itemsOf(set.environment).entries()) {
    const Name = `${prefixOf(aws, place, set.key)}${index}`;
    const members = variables.map(({ value }, at) => [`v${at}`, value] as const);
    const arn = await storeItem(
      aws,
      Name,
      JSON.stringify(Object.fromEntries(members)),
      placeTags(aws.options, place, set.key),
    );
    placed.push(...variables.map(({ name }, at) => ({ name, valueFrom: `${arn}:v${at}::` })));
  }
  return placed;
}

async function storeItem(
  { secrets }: Aws,
  Name: string,
  SecretString: string,
  tagged: Record<string, string>,
): Promise<string> {
  const Tags = Object.entries(tagged).map(([Key, Value]) => ({ Key, Value }));
  const made = await unless(
    secrets.send(new CreateSecretCommand({ Name, SecretString, Tags })),
    'ResourceExistsException',
  );
  const { ARN } = made ?? (await secrets.send(new PutSecretValueCommand({ SecretId: Name, SecretString })));
  if (ARN === undefined) throw new Error(`Secrets Manager keeps ${Name} without an ARN`);
  return ARN;
}

/** Deletes a set's items for good: they can be made again from what the control plane has. */
export async function deleteVariables(
  aws: Aws,
  place: DeploymentRef,
  { key, count }: { key: string; count: number },
): Promise<void> {
  for (let index = 0; index < count; index++) {
    const SecretId = `${prefixOf(aws, place, key)}${index}`;
    const command = new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true });
    await unless(aws.secrets.send(command), 'ResourceNotFoundException');
  }
}
