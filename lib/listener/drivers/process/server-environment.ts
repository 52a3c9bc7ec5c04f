import type { DeploySpec } from '../../../contract/listener-protocol.ts';
import { childEnvironment } from '../../../processes/environment.ts';
import { withTools } from './command-for.ts';

export type ServerEnvironment = {
  variables: Record<string, string>;
  /** The deployment has a variable PORT of its own, which yields to ours. */
  ownPortIgnored: boolean;
};

/** The environment of an agent server: constructed, `defaults`, the deployment's variables on top, and the port it must listen on. */
export function serverEnvironment(
  spec: Pick<DeploySpec, 'environment'>,
  port: number,
  toolFolders: string[],
  defaults: Record<string, string> = {},
): ServerEnvironment {
  const given = Object.fromEntries(spec.environment.map(({ name, value }) => [name, value]));
  const variables = childEnvironment({ ...defaults, ...given, PORT: String(port) });
  return {
    variables: { ...variables, PATH: withTools(variables.PATH ?? '', toolFolders) },
    ownPortIgnored: 'PORT' in given,
  };
}
