import type { DeploySpec } from '../../features/listener-protocol/shape.ts';

type Named = Pick<DeploySpec, 'deployment_name' | 'custom_url'>;

/**
 * Where a deployment is reached, without a slash at the end: at an address of its own, if it has one.
 * `agentsUrl`: what the stable addresses of all begin with.
 */
export function addressOf({ custom_url: own, deployment_name }: Named, agentsUrl: string): string {
  if (own === null) return `${agentsUrl}/${deployment_name}`;
  return (/^https?:\/\//i.test(own) ? own : `https://${own}`).replace(/\/$/, '');
}

/**
 * What a person is told of the host that is the deployment's alone, beside the path below the host of all:
 * names in `localhost` need no DNS. Empty where that host has another name. A blank comes first.
 */
export function ownHostNote(name: string, agentsUrl: string): string {
  const { protocol, hostname, port } = new URL(agentsUrl);
  if (hostname !== 'localhost') return '';
  const host = `${name}.localhost${port === '' ? '' : `:${port}`}`;
  return ` On this machine it answers at ${protocol}//${host}/ too.`;
}
