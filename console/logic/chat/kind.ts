/** How a server is spoken with: a chat for agents, forms for the tools of MCP, a request for any other. */
export const kinds = ['chat', 'tools', 'request'] as const;
export type Kind = (typeof kinds)[number];

export const kindTitles: Record<Kind, string> = { chat: 'Chat', tools: 'Tools', request: 'Request' };

export const isKind = (text: string | null): text is Kind => kinds.some((kind) => kind === text);

/**
 * What a deployment's server is, as far as its runtime says. Undefined: a command of its own may be anything,
 * so it has to be asked.
 */
export const kindByRuntime = (runtime: string | null): Kind | undefined =>
  runtime === null || runtime === 'command' ? undefined : 'chat';
