import { existsSync } from 'node:fs';
import type { Environment } from './environment.ts';
import { removeAgents } from './fargate/remove.ts';
import { deleteOutsideStacks, leftoversOf, untilStacksRest } from './leftovers.ts';
import { deleteRepositories, factsOf, remainsOf } from './remains.ts';

/** What AWS refuses at first it may take a moment later. */
const ATTEMPTS = 3;

/**
 * Removes an environment, whatever it got to, and gives what is left all the same, in words: nothing, unless
 * AWS refuses. `tableName`, if it is known, is looked for too.
 */
export async function clean(environment: Environment, tableName?: string): Promise<string[]> {
  const { account, cdk, name } = environment;
  const facts = await factsOf(account, name);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await untilStacksRest(account, name);
      await removeAgents(account, name);
      if (!existsSync(cdk.outputFolder)) await cdk.synth();
      await cdk.destroy();
      break;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
  await deleteOutsideStacks(account, name);
  await deleteRepositories(account, facts);
  return [
    ...(await leftoversOf(account, name, tableName ?? facts.tableName)),
    ...(await remainsOf(account, name, facts)),
  ];
}
