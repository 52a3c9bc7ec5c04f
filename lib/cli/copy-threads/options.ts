import { OptionsError } from '../options-error.ts';
import type { AgentServer } from './agent-server.ts';

/** From one server of agents to another one, each with what its requests carry. */
export type CopyThreads = { kind: 'copy-threads'; json: boolean; from: AgentServer; to: AgentServer };

type Given = {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly json?: boolean | undefined;
};

/** Reads the command from its options and the environment. Throws `OptionsError`. */
export function copyThreadsOf(
  given: Given,
  { environment }: { environment: NodeJS.ProcessEnv },
): CopyThreads {
  const [from, to] = [serverOf('FROM', given.from, environment), serverOf('TO', given.to, environment)];
  if (from.url === to.url) throw new OptionsError('--from and --to are the same server.');
  return { kind: 'copy-threads', json: given.json === true, from, to };
}

/** Keys come by the environment: what is typed is seen by everybody on the machine. */
function serverOf(
  side: 'FROM' | 'TO',
  given: string | undefined,
  environment: NodeJS.ProcessEnv,
): AgentServer {
  const option = `--${side.toLowerCase()}`;
  if (given === undefined)
    throw new OptionsError(`${option} is required: the address of the deployment, as its url says.`);
  if (!/^https?:\/\//.test(given) || !URL.canParse(given))
    throw new OptionsError(`${option} must be an http(s) URL, not '${given}'.`);
  const { [`SLIPWAY_${side}_API_KEY`]: key, [`SLIPWAY_${side}_AUTHORIZATION`]: authorization } = environment;
  return {
    url: given.replace(/\/+$/, ''),
    headers: { ...(key && { 'x-api-key': key }), ...(authorization && { authorization }) },
  };
}

export const copyThreadsCommand = {
  'copy-threads': { takes: ['json', 'from', 'to'], read: copyThreadsOf },
} as const;
