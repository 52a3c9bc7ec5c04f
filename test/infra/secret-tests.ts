import { describe, expect, it } from 'vitest';
import { readSettings } from '../../lib/infra/settings.ts';
import { type Synthesised, synthesised } from '../support/aws/synthesised.ts';

const context = { environment: 'test', compute: 'fargate' };
const HUB = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:hub-AbCdEf';
const secrets = { ...context, agentSecrets: 'team/agents', dockerHubSecret: HUB };

type Policies = { Policies?: { PolicyDocument: { Statement: { Action: unknown; Resource: unknown }[] } }[] };
type Variables = { FunctionName?: unknown; Environment?: { Variables?: Record<string, unknown> } };

/** Items that the installation's settings name. Part of the file of the template. */
export function secretTests(): void {
  /** Who may read an item whose ARN has these words: the names of roles, of functions without their stacks. */
  const readersOf = (item: string, stacks: Synthesised = synthesised(secrets)): string[] =>
    stacks
      .all('AWS::IAM::Role')
      .filter(([, { Properties }]) =>
        // CloudFormation's own shape of it.
        ((Properties as Policies).Policies ?? [])
          .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
          .some(({ Action, Resource }) => {
            const may = [Action].flat().includes('secretsmanager:GetSecretValue');
            return may && JSON.stringify(Resource).includes(item);
          }),
      )
      .map(([id]) => id.replace(/^\w+\/|Role[0-9A-F]{8}$/g, ''))
      .toSorted();

  const toldOf = (variable: string, stacks: Synthesised): string[] =>
    stacks
      .all('AWS::Lambda::Function')
      .map(([, { Properties }]) => Properties as Variables)
      .filter(({ Environment }) => Environment?.Variables?.[variable] !== undefined)
      .map(({ FunctionName }) => String(FunctionName))
      .toSorted();

  describe('variables that all servers of agents get', () => {
    it('are read by who starts servers, who looks what they would lack, and who masks what they print', () => {
      expect(readersOf(':secret:team/agents-??????"')).toEqual([
        'Drive',
        'Outputingestoutput',
        'ServersStart',
        'Workflowbuild',
        'Workflowprepare',
      ]);
      expect(toldOf('AGENT_SECRETS', synthesised(secrets))).toEqual(
        ['build', 'drive', 'ingest-output', 'prepare'].map((name) => `slipway-test-${name}`),
      );
    });

    it('are read by nobody without the setting', () => {
      expect(readersOf('', synthesised(context))).toEqual(['ServersStart']);
      expect(toldOf('AGENT_SECRETS', synthesised(context))).toEqual([]);
    });
  });

  it('an account at Docker Hub is read by builds and by what fetches images for servers, and by nobody else', () => {
    expect(readersOf(HUB)).toEqual(['Builds', 'ServersStart']);
    expect(toldOf('DOCKER_HUB_SECRET_ARN', synthesised(secrets))).toEqual(['slipway-test-drive']);
    expect(toldOf('DOCKER_HUB_SECRET_ARN', synthesised(context))).toEqual([]);
  });

  const ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:team/agents-AbCdEf';

  it('an item is named by its name or by its whole ARN', () => {
    expect(readersOf(ARN, synthesised({ ...context, agentSecrets: ARN }))).toContain('Drive');
    const read = (agentSecrets: string) =>
      readSettings((name) => ({ ...context, agentSecrets })[name as keyof typeof context]);
    expect(() => read(ARN.replace('-AbCdEf', ''))).toThrow(/six characters at its end/);
    expect(() => read('a b')).toThrow(/name of an item in Secrets Manager/);
  });

  it('only agents of the installation itself get its variables', () => {
    expect(() => synthesised({ environment: 'test', agentSecrets: 'agents' })).toThrow(/compute=fargate/);
  });
}
