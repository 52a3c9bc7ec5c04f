import { Agent, agentFlags, lastReply } from '../shell/agent.ts';
import { command } from '../shell/command.ts';
import { deploymentOf } from '../shell/names.ts';
import { plain } from '../shell/output.ts';
import { jsonInput } from './api.ts';

export const run = command({
  name: 'run',
  args: '[D]',
  says: 'Run the graph of a deployment once, and print what it came to',
  examples: [
    'slipway run agent -i \'{"messages": [{"role": "user", "content": "Hello"}]}\'',
    'slipway run agent -i @input.json --graph agent --json',
  ],
  flags: {
    input: { short: 'i', value: 'JSON', says: 'the input: JSON, @FILE, or - for stdin (default: {})' },
    ...agentFlags,
  },
  async run(shell, { input, graph, header = [] }, [name]) {
    const given = input === undefined ? {} : await jsonInput(shell.world, input);
    const agent = new Agent(await deploymentOf(shell, name), header, shell.world);
    const assistant_id = await agent.graph(graph);
    shell.output.progress(`${agent.name}: running ${assistant_id}`);
    const state = await agent.ask('/runs/wait', { assistant_id, input: given });
    const reply = lastReply(state);
    const lines = (reply ?? JSON.stringify(state, undefined, 2)).split('\n').map(plain);
    shell.output.result(state, lines);
  },
});
