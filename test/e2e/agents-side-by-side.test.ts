import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { gitRepository } from '../support/files/git-repository.ts';
import { agentFiles, shouted } from '../support/programs/agents.ts';
import { memoryMegabytes } from '../support/programs/memory.ts';
import { type ProcessFacts, stillRunning } from '../support/programs/processes.ts';
import {
  create,
  deployed,
  ended,
  endProgram,
  familyOf,
  type Program,
  type ShownDeployment,
  startProgram,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

const BUILD_MS = 300_000;
const FLOW_MS = 600_000;
const OUTPUT_CHARACTERS = 6000;
const MEMORY_MEGABYTES_MAX = 2.5 * 1024;
const EXAMPLES = ['shout-agent', 'shout-agent', 'shout-agent', 'shout-agent-python', 'shout-agent-python'];

async function listenerOf(program: Program): Promise<ProcessFacts> {
  const found = (await familyOf(program)).find(({ command }) => command.includes('bin/listener.ts'));
  if (found === undefined) throw new Error('no listener runs');
  return found;
}

const isServer = ({ command }: ProcessFacts) => command.includes('langgraph');
const numberOfServers = async (program: Program) => (await familyOf(program)).filter(isServer).length;

/**
 * How long the listener has waited for servers in all until they were healthy: how fast the machine is,
 * beside what is measured.
 */
const firstStartsMs = (program: Program): number =>
  [...program.output().matchAll(/Healthy after (\d+) ms/g)].reduce((sum, [, ms]) => sum + Number(ms), 0);

let program: Program;
beforeAll(async () => {
  program = await startProgram();
});
afterAll(async () => {
  expect(await endProgram(program)).toEqual([]);
});

it(
  'five agents run side by side, and serve again after a kill -9 of the listener',
  async () => {
    onTestFailed(() => void process.stdout.write(program.output().slice(-OUTPUT_CHARACTERS)));
    const alone = await memoryMegabytes(await familyOf(program));
    const agents: ShownDeployment[] = [];
    let megabytes = alone;
    for (const [index, example] of EXAMPLES.entries()) {
      const { url } = await gitRepository(await agentFiles(example));
      const made = await create(program, `five-${index}`, url);
      await ended(program, made.id, made.latest_revision_id, BUILD_MS);
      const agent = await deployed(program, made);
      expect(await shouted(agent, 'up')).toBe('v1: UP!');
      agents.push(agent);
      const now = await memoryMegabytes(await familyOf(program));
      process.stdout.write(`memory in MiB: one ${example} ${Math.round(now - megabytes)}\n`);
      megabytes = now;
    }
    const all = await memoryMegabytes(await familyOf(program));
    process.stdout.write(
      `memory in MiB: Slipway ${Math.round(alone)}, with five agents ${Math.round(all)}\n`,
    );
    expect(all).toBeLessThan(MEMORY_MEGABYTES_MAX);

    const servers = (await familyOf(program)).filter(isServer);
    const startsMs = firstStartsMs(program);
    process.kill((await listenerOf(program)).pid, 'SIGKILL');
    const killedAt = performance.now();
    const servesAgain = (agent: ShownDeployment) =>
      until(
        async () => {
          const text = await shouted(agent, 'a').catch(() => '');
          return text === 'v1: A!' && Math.round(performance.now() - killedAt);
        },
        { what: `${agent.source_config.custom_url} to serve again` },
      );
    const times = await Promise.all(agents.map(servesAgain));
    process.stdout.write(
      `kill -9 of the listener: the five serve again after ms=${times.join(' ')}; first_starts_ms=${startsMs}\n`,
    );
    expect(stillRunning(servers).map(({ command }) => command)).toEqual([]);
    // Started once each, not twice.
    expect(await numberOfServers(program)).toBe(servers.length);
  },
  FLOW_MS,
);
