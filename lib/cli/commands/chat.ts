import { Agent, agentFlags, lastReply, messageText, textAt } from '../shell/agent.ts';
import { command } from '../shell/command.ts';
import { Ended, UsageError } from '../shell/ends.ts';
import { deploymentOf } from '../shell/names.ts';
import { plain } from '../shell/output.ts';
import type { Shell } from '../shell/shell.ts';

export const chat = command({
  name: 'chat',
  args: '[D]',
  says: 'Talk with the graph of a deployment',
  more: 'A line is a message; Ctrl-D ends it. Without a terminal, what comes from stdin is one message.',
  examples: [
    'slipway chat agent',
    'slipway chat agent --thread ID',
    'echo Hello | slipway chat agent --json',
  ],
  flags: { thread: { value: 'ID', says: 'go on with this thread (default: a new one)' }, ...agentFlags },
  async run(shell, { thread, graph, header = [] }, [name]) {
    const agent = new Agent(await deploymentOf(shell, name), header, shell.world);
    const assistant_id = await agent.graph(graph);
    const threadId = thread ?? textAt(await agent.ask('/threads', {}), 'thread_id');
    if (threadId === undefined) throw new Ended(`${agent.name} made no thread.`);
    if (shell.canAsk) shell.output.say(`Thread ${threadId}`, 'dim');
    for (let turns = 0; ; turns += 1) {
      const message = await nextMessage(shell, turns);
      if (message === undefined) return;
      await turn(shell, agent, { assistant_id, threadId, message });
    }
  },
});

async function nextMessage({ canAsk, world }: Shell, turns: number): Promise<string | undefined> {
  if (canAsk) return world.stdin.line('> ');
  if (turns > 0) return undefined;
  const text = (await world.stdin.text()).trim();
  if (text === '') throw new UsageError('stdin has no message.');
  return text;
}

type Turn = { assistant_id: string; threadId: string; message: string };

/** Prints what is said as it comes. */
async function turn({ output, world }: Shell, agent: Agent, { assistant_id, threadId, message }: Turn) {
  const input = { messages: [{ role: 'user', content: message }] };
  const body = { assistant_id, input, stream_mode: ['messages-tuple', 'values'] };
  let [said, state]: [string, unknown] = ['', undefined];
  for await (const { kind, data } of agent.stream(
    `/threads/${encodeURIComponent(threadId)}/runs/stream`,
    body,
  )) {
    if (kind === 'error')
      throw new Ended(`${agent.name}: ${textAt(data, 'message') ?? JSON.stringify(data)}`);
    if (kind === 'values') state = data;
    const chunk: unknown = kind === 'messages' && Array.isArray(data) ? data[0] : undefined;
    const isReply = (textAt(chunk, 'type') ?? '').toLowerCase().startsWith('ai');
    const text = isReply ? messageText(chunk) : '';
    if (!output.isJson) world.stdout.write(text.split('\n').map(plain).join('\n'));
    said += text;
  }
  const reply = said === '' ? lastReply(state) : said;
  if (output.isJson) return output.entry({ thread_id: threadId, reply: reply ?? null, state }, '');
  return output.result(
    undefined,
    said === '' ? (reply ?? JSON.stringify(state)).split('\n').map(plain) : [''],
  );
}
