import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { nameProblem } from '../../contract/deployments/secrets.ts';
import { type AgentSecrets, AgentSecretsUnreadable, type SharedVariables } from '../agent-secrets.ts';

/**
 * So old values may be that are replaced in what servers print. A server that has newer ones takes longer to
 * start, and each look costs as much as any other call.
 */
const FRESH_MILLISECONDS = 20_000;

type Item = SharedVariables & { values: string[] };
type Seen = { at: number; current: Item; previous: string[] };

/**
 * The members of an item in Secrets Manager, which is a JSON object of texts. `id`: its name or ARN; `now`:
 * epoch milliseconds.
 */
export function createAgentSecrets(id: string, now: () => number = Date.now): AgentSecrets {
  const client = new SecretsManagerClient({});
  const read = (stage?: 'AWSPREVIOUS') => readItem(client, id, stage);
  let seen: Seen | undefined;

  const look = async (): Promise<Seen> => {
    const at = now();
    const current = await read();
    if (current === undefined) throw unreadable(id, 'it has no value');
    const isKnown = seen?.current.version === current.version;
    const previous = isKnown && seen !== undefined ? seen.previous : await previousValues(read);
    seen = { at, current, previous };
    return seen;
  };
  return {
    async variables() {
      const { values: _, ...shared } = (await look()).current;
      return shared;
    },
    async values() {
      const { current, previous } =
        seen !== undefined && now() - seen.at < FRESH_MILLISECONDS ? seen : await look();
      return [...new Set([...current.values, ...previous])];
    },
  };
}

/** What was given before in another shape was given to no server. */
async function previousValues(read: (stage: 'AWSPREVIOUS') => Promise<Item | undefined>): Promise<string[]> {
  try {
    return (await read('AWSPREVIOUS'))?.values ?? [];
  } catch (error) {
    if (error instanceof AgentSecretsUnreadable) return [];
    throw error;
  }
}

/** What stays as it is until somebody changes it, by its name at AWS. */
const LASTING = [
  'ResourceNotFoundException',
  'AccessDeniedException',
  'InvalidRequestException',
  'InvalidParameterException',
  'DecryptionFailure',
];

async function readItem(
  client: SecretsManagerClient,
  id: string,
  VersionStage: 'AWSPREVIOUS' | undefined,
): Promise<Item | undefined> {
  try {
    const command = new GetSecretValueCommand({ SecretId: id, ...(VersionStage && { VersionStage }) });
    const { ARN, VersionId, SecretString } = await client.send(command);
    if (ARN === undefined || VersionId === undefined) return undefined;
    return itemOf(id, { arn: ARN, version: VersionId, text: SecretString ?? '' });
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (!LASTING.includes(name)) throw error;
    throw unreadable(id, `${name}: ${error instanceof Error ? error.message : ''}`);
  }
}

/** Nothing of the text is quoted anywhere. */
function itemOf(id: string, { arn, version, text }: { arn: string; version: string; text: string }): Item {
  const members = Object.entries(objectIn(text) ?? {});
  if (members.length === 0) throw unreadable(id, 'it is no JSON object with members');
  const problems = members.flatMap(([name, value]) => {
    const problem = typeof value === 'string' ? problemOf(name) : 'its value is no text';
    return problem === undefined ? [] : [[name, problem] as const];
  });
  const bad = new Set(problems.map(([name]) => name));
  const given = members.filter((one): one is [string, string] => !bad.has(one[0]));
  return {
    arn,
    version,
    names: given.map(([name]) => name),
    values: given.map(([, value]) => value),
    remark:
      problems.length === 0
        ? undefined
        : `Of the item that agentSecrets names, no server is given ${problems.map(([name, problem]) => `${name} (${problem})`).join(', ')}.`,
  };
}

function objectIn(text: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** A reference to a member ends at a colon. */
const problemOf = (name: string): string | undefined =>
  name.includes(':') ? 'its name contains a colon' : nameProblem(name);

const unreadable = (id: string, why: string): AgentSecretsUnreadable =>
  new AgentSecretsUnreadable(
    `The item '${id}' of Secrets Manager, which the setting agentSecrets names, cannot be used (${why}). Whoever runs this installation corrects it; then redeploy.`,
  );
