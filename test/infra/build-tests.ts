import { describe, expect, it } from 'vitest';
import { type Synthesised, synthesised } from '../support/aws/synthesised.ts';

const dockerHubSecret = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:docker-hub-AbCdEf';

/** Where users' code is built. Part of the file of the template: to load the CDK takes seconds. */
export function buildTests(stacksOf: () => Synthesised): void {
  const projectOf = (stacks: Synthesised) => stacks.all('AWS::CodeBuild::Project')[0]?.[1].Properties;
  const roleOf = (stacks: Synthesised) =>
    JSON.stringify(stacks.all('AWS::IAM::Role').find(([id]) => id.startsWith('root/BuildsRole')));

  describe('builds', () => {
    it('have the smallest machine and no account anywhere, unless the settings say otherwise', () => {
      expect(projectOf(stacksOf())).toMatchObject({ Environment: { ComputeType: 'BUILD_GENERAL1_SMALL' } });
      expect(JSON.stringify(projectOf(stacksOf()))).not.toContain('DOCKER_HUB');
      expect(roleOf(stacksOf())).not.toContain('secretsmanager');
    });

    it('have the machine that was chosen, and may read the one item with the account at Docker Hub', () => {
      const made = synthesised({ environment: 'test', buildCompute: 'xlarge', dockerHubSecret });
      expect(projectOf(made)).toMatchObject({
        Environment: {
          ComputeType: 'BUILD_GENERAL1_XLARGE',
          EnvironmentVariables: expect.arrayContaining([
            { Name: 'DOCKER_HUB_SECRET_ARN', Value: dockerHubSecret },
          ]),
        },
      });
      expect(roleOf(made)).toContain(
        JSON.stringify({
          Action: 'secretsmanager:GetSecretValue',
          Effect: 'Allow',
          Resource: dockerHubSecret,
        }),
      );
    });

    it('wait for a machine and run within the hour that their credentials are good for', () => {
      const minutesOf = (made: Synthesised) => {
        const { QueuedTimeoutInMinutes: queue, TimeoutInMinutes: run } = projectOf(made) as Record<
          string,
          number
        >;
        return [queue, run];
      };
      expect(minutesOf(stacksOf())).toEqual([30, 30]);
      expect(minutesOf(synthesised({ environment: 'test', buildSeconds: '3300' }))).toEqual([5, 55]);
      const impatient = { environment: 'test', buildSeconds: '300', buildQueueSeconds: '600' };
      expect(minutesOf(synthesised(impatient))).toEqual([10, 5]);
    });

    it.each([
      [{ buildSeconds: '3600' }, "from 300 to 3300, not '3600'"],
      [{ buildCompute: 'huge' }, 'buildCompute'],
      [{ dockerHubSecret: 'docker-hub' }, 'the ARN of an item of Secrets Manager'],
    ])('are refused with a setting that means nothing: %j', (wrong, said) => {
      expect(() => synthesised({ environment: 'test', ...wrong })).toThrow(said);
    });
  });
}
