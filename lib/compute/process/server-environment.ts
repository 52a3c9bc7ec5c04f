import { revisionVariables, serverDefaults } from '../../contract/server-variables.ts';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import { childEnvironment } from '../../processes/environment.ts';
import { withTools } from './command-for.ts';

export type ServerEnvironment = {
  variables: Record<string, string>;
  /** The deployment has a variable PORT of its own, which yields to ours. */
  ownPortIgnored: boolean;
};

/**
 * Servers that ask where to listen do it where this listener alone reaches them. A deployment's own `HOST`
 * wins.
 */
const HOST = '127.0.0.1';

/**
 * The environment of an agent server: constructed, `defaults`, the deployment's variables on top, then what
 * is `fixed`, what it is told of itself, and the port it must listen on, if it is to listen.
 */
export function serverEnvironment(
  spec: Pick<DeploySpec, 'environment' | 'revision_id' | 'commit_sha'>,
  port: number | undefined,
  toolFolders: string[],
  { defaults = {}, fixed = {} }: { defaults?: Record<string, string>; fixed?: Record<string, string> } = {},
): ServerEnvironment {
  const given = Object.fromEntries(spec.environment.map(({ name, value }) => [name, value]));
  const variables = childEnvironment({
    ...serverDefaults,
    HOST,
    ...defaults,
    ...given,
    ...fixed,
    ...revisionVariables(spec),
    ...(port !== undefined && { PORT: String(port) }),
  });
  return {
    variables: { ...variables, PATH: withTools(variables.PATH ?? '', toolFolders) },
    ownPortIgnored: 'PORT' in given,
  };
}
