import { fileURLToPath } from 'node:url';
import type { Installation } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { addressOf, deployFolder, makeDeployment, remove } from './deployments.ts';
import type { Report } from './report.ts';
import type { Reach } from './switch.ts';

/** Projects with a `langgraph.json`, which need neither a model nor a key. */
const PROJECTS = [
  { language: 'JavaScript', name: 'shout-agent' },
  { language: 'Python', name: 'shout-agent-python' },
];
/** Servers that have just come up load their graphs. */
const RUN_TIMEOUT_MS = 2 * 60_000;

export type Secret = { name: string; value: string };
type Placing = { source_config?: object; secrets?: Secret[] };

/** Builds each of the two agent projects, runs its graph at its address, and deletes it. */
export async function useProjects(
  report: Report,
  slipway: Installation,
  { reach, ...placing }: Placing & { reach: Reach },
): Promise<void> {
  for (const { language, name } of PROJECTS)
    await report.step(`build and run a langgraph.json project in ${language}`, async () => {
      const id = await makeDeployment(slipway, name, placing);
      await deployFolder(slipway, id, fileURLToPath(new URL(`../../examples/${name}`, import.meta.url)));
      await expectShout(reach, await addressOf(slipway, id));
      await remove(slipway, id, reach);
    });
}

const RUN = { assistant_id: 'agent', input: { messages: [{ role: 'user', content: 'hello there' }] } };
const SHOUT = 'v1: HELLO THERE!';

async function expectShout(reach: Reach, url: string): Promise<void> {
  let last = '';
  const shouts = async () => {
    last = await reach(`${url}/runs/wait`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(RUN),
    }).then((answer) => answer.text(), String);
    return last.includes(SHOUT);
  };
  const what = () => `the graph at ${url} to say '${SHOUT}'; it said ${last.slice(0, 500)}`;
  await until(shouts, { timeoutMs: RUN_TIMEOUT_MS, what });
}
