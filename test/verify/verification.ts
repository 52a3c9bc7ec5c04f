import { reach } from './environment.ts';
import { useFargate } from './fargate/verification.ts';
import { useMachine } from './machine.ts';
import type { Run } from './run.ts';
import { upgrade } from './upgrade.ts';

/** Uses a new environment as its users would. Throws at the first step that fails. */
export async function verify(run: Run): Promise<void> {
  const { environment, report } = run;
  const { cdk } = environment;
  await report.step('cdk synth', () => cdk.synth());
  await report.step('cdk bootstrap', () => cdk.bootstrap());
  const api = await report.step('cdk deploy --all', async () => reach(await cdk.deploySynthesised()));
  run.tableName = api.tableName;
  try {
    if (run.compute === 'fargate') await useFargate(run, api);
    else await useMachine(run, api);
  } finally {
    await api.close();
  }
  await upgrade(run);
}
