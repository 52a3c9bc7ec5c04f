import type { Kind } from '../logic/chat/kind.ts';
import { MCP_PATH } from '../logic/chat/mcp.ts';
import type { Assistant } from '../logic/chat/threads.ts';
import { type AgentPlace, AgentRefusal, Unreachable } from './agent.ts';
import { listAssistants } from './agent-run.ts';
import { type McpSession, openMcp, ToolRefusal } from './mcp.ts';

/** A server with what is needed to speak with it. */
export type Server =
  | { kind: 'chat'; assistants: readonly Assistant[] }
  | { kind: 'tools'; mcp: McpSession }
  | { kind: 'request' };

/**
 * Opens a server as what it is. `kind` undefined: it is asked whether it is an agent, then whether it has
 * tools; what is neither takes requests as any server does. Throws AgentRefusal with 404 where it is not
 * what it was said to be.
 */
export async function findServer(
  place: AgentPlace,
  kind: Kind | undefined,
  signal: AbortSignal,
): Promise<Server> {
  if (kind === 'request') return { kind };
  if (kind === 'tools') return { kind, mcp: await openMcp(place, MCP_PATH, signal) };
  if (kind === 'chat') return agent(place, signal);
  return orNothing(agent(place, signal))
    .then(async (found) => found ?? orNothing(openMcp(place, MCP_PATH, signal).then(asTools)))
    .then((found) => found ?? { kind: 'request' });
}

const asTools = (mcp: McpSession): Server => ({ kind: 'tools', mcp });

async function agent(place: AgentPlace, signal: AbortSignal): Promise<Server> {
  const assistants = await listAssistants(place, signal);
  if (assistants.length === 0) throw new AgentRefusal(404, 'This server names nothing that could be run.');
  return { kind: 'chat', assistants };
}

/** Undefined where a server is of another kind, whatever it says to that. */
const orNothing = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    const isOther =
      error instanceof ToolRefusal ||
      error instanceof Unreachable ||
      (error instanceof AgentRefusal && error.status !== 401);
    if (isOther) return undefined;
    throw error;
  });
