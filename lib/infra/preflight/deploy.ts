import { accountIn } from '../account.ts';
import { type Given, settingsOf } from '../settings.ts';
import { tableOf } from './check.ts';
import { preflight } from './preflight.ts';

/**
 * Asks the account, before anything is made, for what a deploy needs, and prints what it has. Throws when a
 * deploy would fail. Other commands of the CDK (see bin/cdk.sh), and those that know no account, ask nothing;
 * so do deploys with SLIPWAY_PREFLIGHT=off.
 */
export async function checkDeploy(
  environment: unknown,
  given: Given,
  variables: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<void> {
  const account = accountIn(variables);
  // Without bin/cdk.sh the command is not known, and may be this one.
  const { SLIPWAY_CDK_COMMAND: command = 'deploy', SLIPWAY_PREFLIGHT: wanted } = variables;
  if (account === undefined || command !== 'deploy' || wanted === 'off') return;
  const checks = await preflight(account, settingsOf(environment, given), true);
  for (const line of tableOf(checks)) say(line);
  const lacking = checks.filter(({ state }) => state === 'lack').map(({ what }) => what);
  if (lacking.length === 0) return;
  throw new Error(
    `Nothing was deployed: the account lacks what the table calls MISSING (${lacking.join('; ')}), and the lines below it say where to get it. SLIPWAY_PREFLIGHT=off deploys all the same.`,
  );
}
