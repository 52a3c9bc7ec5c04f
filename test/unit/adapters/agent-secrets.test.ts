import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createAgentSecrets } from '../../../lib/adapters/aws/agent-secrets.ts';

const client = mockClient(SecretsManagerClient);
beforeEach(() => client.reset());
afterAll(() => client.restore());

const ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:agents-AbCdEf';
const failing = (name: string, message = 'no') => Object.assign(new Error(message), { name });

/** What the item has, and had before its last change. */
function holds(text: string, version = 'v2', previous?: string): void {
  const asked = { SecretId: 'agents' };
  client.on(GetSecretValueCommand, asked).resolves({ ARN, VersionId: version, SecretString: text });
  const before = client.on(GetSecretValueCommand, { ...asked, VersionStage: 'AWSPREVIOUS' });
  if (previous === undefined) before.rejects(failing('ResourceNotFoundException'));
  else before.resolves({ ARN, VersionId: 'v1', SecretString: previous });
}

describe('variables of the installation', () => {
  it('are the members of the item, by name', async () => {
    holds('{"LANGGRAPH_CLOUD_LICENSE_KEY":"licence-1","LANGSMITH_API_KEY":"key-1"}');
    expect(await createAgentSecrets('agents').variables()).toEqual({
      arn: ARN,
      version: 'v2',
      names: ['LANGGRAPH_CLOUD_LICENSE_KEY', 'LANGSMITH_API_KEY'],
      remark: undefined,
    });
  });

  it('are not those that no server may have, which is said without their values', async () => {
    const item = {
      DATABASE_URI: 'postgres://secret',
      LANGGRAPH_HOST_API_KEY: 'very secret',
      'a:b': 'very secret',
      'a=b': 'very secret',
      PORT_COUNT: 5,
      GOOD: 'very good',
    };
    holds(JSON.stringify(item));
    const secrets = createAgentSecrets('agents');
    const { names, remark } = await secrets.variables();
    expect(names).toEqual(['GOOD']);
    expect(remark).toBe(
      'Of the item that agentSecrets names, no server is given DATABASE_URI (the name DATABASE_URI is reserved), LANGGRAPH_HOST_API_KEY (the name LANGGRAPH_HOST_API_KEY is reserved), a:b (its name contains a colon), a=b (a name contains no =, NUL or line break), PORT_COUNT (its value is no text).',
    );
    expect(await secrets.values()).toEqual(['very good']);
  });

  it('are read anew each time that servers are to be started', async () => {
    holds('{"KEY":"one"}', 'v1');
    const secrets = createAgentSecrets('agents');
    await secrets.variables();
    holds('{"KEY":"two","MORE":"x"}', 'v2');
    expect(await secrets.variables()).toMatchObject({ version: 'v2', names: ['KEY', 'MORE'] });
  });

  it.each([
    ['is not there', 'ResourceNotFoundException'],
    ['may not be read', 'AccessDeniedException'],
    ['is about to be deleted', 'InvalidRequestException'],
  ])('cannot be had where the item %s, which somebody has to correct', async (_, name) => {
    client.on(GetSecretValueCommand).rejects(failing(name, 'no way'));
    await expect(createAgentSecrets('agents').variables()).rejects.toMatchObject({
      name: 'AgentSecretsUnreadable',
      message: `The item 'agents' of Secrets Manager, which the setting agentSecrets names, cannot be used (${name}: no way). Whoever runs this installation corrects it; then redeploy.`,
    });
  });

  it.each(['', 'a-secret-in-plain', '{"KEY":"a-secret', '[]', '"text"', '{}'])(
    'cannot be had from what is no object, and nothing of that is quoted: %j',
    async (text) => {
      holds(text);
      const error = await createAgentSecrets('agents')
        .variables()
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'AgentSecretsUnreadable' });
      expect(String(error)).not.toContain('a-secret');
    },
  );

  it('may be had later where AWS only asks for patience', async () => {
    client.on(GetSecretValueCommand).rejects(failing('InternalServiceError'));
    await expect(createAgentSecrets('agents').variables()).rejects.toMatchObject({
      name: 'InternalServiceError',
    });
  });
});

describe('their values, for masking', () => {
  it('are those of now and of before the last change', async () => {
    holds('{"KEY":"new value","SAME":"same"}', 'v2', '{"KEY":"old value","SAME":"same"}');
    expect(await createAgentSecrets('agents').values()).toEqual(['new value', 'same', 'old value']);
  });

  it('are read again after some seconds, and those of before only after a change', async () => {
    let time = 0;
    holds('{"KEY":"one"}', 'v1');
    const secrets = createAgentSecrets('agents', () => time);
    await secrets.values();
    time += 19_000;
    await secrets.values();
    expect(client.calls()).toHaveLength(2);
    time += 1_000;
    await secrets.values();
    expect(client.calls()).toHaveLength(3);
    time += 20_000;
    holds('{"KEY":"two"}', 'v2', '{"KEY":"one"}');
    expect(await secrets.values()).toEqual(['two', 'one']);
  });
});
