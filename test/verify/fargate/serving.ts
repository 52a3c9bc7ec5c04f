import { systemClock } from '../../../lib/adapters/clock.ts';
import { agentsUrlOf } from '../../../lib/cli/agents-url.ts';
import { untilFrontAnswers } from '../../../lib/cli/first-agent/front.ts';
import { say } from '../../support/run/progress.ts';
import { until } from '../../support/until.ts';
import type { Api, Environment } from '../environment.ts';
import type { Front } from './front.ts';
import { partsOf } from './parts.ts';

/** A change of a rule takes the balancer some seconds. */
const SERVES_TIMEOUT_MS = 2 * 60_000;
/** Servers end, then what they were made of goes: what is replaced has as long as a stream goes on. */
const REMOVAL_TIMEOUT_MS = 20 * 60_000;

/** Where agents of the installation answer. Waits until requests come through to the balancer. */
export async function frontOf(
  { account }: Environment,
  { tableName }: Api,
  { hear }: Front,
): Promise<string> {
  const url = await agentsUrlOf(account.clients.functions, tableName);
  if (url === undefined) throw new Error('No function of the stack knows where agents answer');
  await untilFrontAnswers(systemClock, url, hear, say);
  return url;
}

/** Waits until the agent's server calls itself `version`. */
export async function untilAnswers({ ask }: Front, { url }: { url: string }, version: string): Promise<void> {
  let last = '';
  const isServed = async () => {
    last = await ask(`${url}/`).then((answer) => answer.text(), String);
    return last.includes(`"version":"${version}"`);
  };
  const what = () => `${version} to answer at ${url}, which said ${last}`;
  await until(isServed, { timeoutMs: SERVES_TIMEOUT_MS, what });
}

/** Waits until no set of servers has left anything in the account. */
export async function untilNothingIsLeft({ account, name }: Environment): Promise<void> {
  let left: string[] = [];
  const isGone = async () => {
    left = Object.values(await partsOf(account, name)).flat();
    return left.length === 0;
  };
  await until(isGone, { timeoutMs: REMOVAL_TIMEOUT_MS, what: () => `these to go: ${left.join(', ')}` });
}
