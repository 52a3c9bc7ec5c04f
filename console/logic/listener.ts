import type { PodSecurity } from '../../lib/contract/pod-security.ts';
import type { Listener } from '../data/contract.ts';

/** `agents, tools` of a field, without empty ones. */
export const wordsIn = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((word) => word.trim())
    .filter((word) => word !== '');

const kinds: Record<string, string> = { process: 'Machine', k8s: 'Kubernetes', ecs: 'Fargate' };

/** What kind of place a listener runs agents in. */
export const kindOf = ({ compute_type: type }: Pick<Listener, 'compute_type'>): string => kinds[type] ?? type;

/** What images and folders are built for there, as far as the listener's configuration says. */
export const platformsOf = ({ compute_config: { platforms } }: Pick<Listener, 'compute_config'>): string[] =>
  Array.isArray(platforms) ? platforms.map(String) : [];

/** Kubernetes' profiles, with what each allows. */
export const podSecurityChoices: [PodSecurity, string][] = [
  ['restricted', 'Restricted: nobody is root, no capabilities'],
  ['baseline', 'Baseline: nothing that reaches the node'],
  ['privileged', 'Privileged: anything, the node included'],
];

/** What pods of a cluster may be allowed; one that was registered before there was a choice has none. */
export const podSecurityOf = ({ compute_config: config }: Pick<Listener, 'compute_config'>): PodSecurity =>
  podSecurityChoices.find(([profile]) => profile === config.pod_security)?.[0] ?? 'privileged';

/** Whether it is a part of the installation, which nobody starts and nobody deletes. */
export const isBuiltIn = ({ compute_type: type }: Pick<Listener, 'compute_type'>): boolean => type === 'ecs';

/** How full the balancer of all agents is; null for a listener without such a ceiling. */
export function capacityOf({ capacity }: Pick<Listener, 'capacity'>): string | null {
  if (capacity === null) return null;
  const { target_groups: groups, rules } = capacity;
  return `${groups.in_use} of ${groups.quota} target groups and ${rules.in_use} of ${rules.quota} rules in use, by all tenants`;
}

/** What its status means for who waits. */
export const meaningOf = (listener: Pick<Listener, 'compute_type' | 'status'>): string =>
  isBuiltIn(listener)
    ? 'It is a part of this installation, which runs agents on Fargate itself.'
    : statusMeaning[listener.status];

const statusMeaning: Record<Listener['status'], string> = {
  ONLINE: 'It asks for work.',
  OFFLINE:
    'It has stopped asking for work: new revisions wait for it. What it runs may go on serving. Start it again with the command below.',
  NEVER_SEEN: 'It has never asked for work. Start it with the command below.',
};

/** The command that starts a listener. Its key stands in a variable, and is read from there alone. */
export function startCommand(
  { id, compute_type, compute_config }: Pick<Listener, 'id' | 'compute_type' | 'compute_config'>,
  url: string,
): string {
  if (compute_type !== 'k8s')
    return [
      'SLIPWAY_API_KEY=$LISTENER_KEY npm run listener --',
      `  --url ${url}`,
      `  --listener-id ${id}`,
      '  --data-dir .listener',
    ].join(' \\\n');
  const { k8s_namespaces: namespaces } = compute_config;
  const enforced = `pod-security.kubernetes.io/enforce=${podSecurityOf({ compute_config })}`;
  return [
    `kubectl label namespace ${namespaces.join(' ')} ${enforced}`,
    'kubectl create namespace slipway',
    'kubectl -n slipway create secret generic slipway-listener-key --from-literal=api-key=$LISTENER_KEY',
    [
      'helm install slipway-listener charts/slipway-listener --namespace slipway --wait',
      `  --set url=${url} --set listenerId=${id} --set namespaces='{${namespaces.join(',')}}'`,
      '  --set image.repository=$IMAGE --set apiKeySecret.name=slipway-listener-key',
    ].join(' \\\n'),
  ].join('\n');
}
