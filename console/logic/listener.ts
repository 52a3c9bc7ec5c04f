import type { Ask, Listener } from '../../lib/client/endpoints.ts';
import type { PodSecurity } from '../../lib/contract/pod-security.ts';

/** `agents, tools` of a field, without empty ones. */
export const wordsIn = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((word) => word.trim())
    .filter((word) => word !== '');

type OfType = Pick<Listener, 'compute_type'>;
type Startable = Pick<Listener, 'id' | 'compute_type' | 'compute_config'>;
type Compute = {
  word: string;
  /** Has namespaces, whose pods are allowed this or that. */
  isCluster: boolean;
  /** The command that starts a listener; null where it is a part of the installation. */
  start: ((listener: Startable, url: string) => string) | null;
};

const computes: Record<Listener['compute_type'], Compute> = {
  process: { word: 'Machine', isCluster: false, start: startOnMachine },
  k8s: { word: 'Kubernetes', isCluster: true, start: startInCluster },
  ecs: { word: 'Fargate', isCluster: false, start: null },
};
// A page that was loaded before an update may meet a type that it does not know.
const known: Partial<Record<string, Compute>> = computes;

/** The types of compute that a person can register a listener of. */
export type RegisteredType = Ask<'POST /v2/listeners'>['body']['compute_type'];
export const computeChoices: [RegisteredType, string][] = [
  ['process', 'As processes of a machine'],
  ['k8s', 'In a Kubernetes cluster'],
];

/** What kind of place a listener runs agents in. */
export const kindOf = ({ compute_type: type }: OfType): string => known[type]?.word ?? type;

/** Whether a listener is of a cluster, with namespaces and a profile of pod security. */
export const isOfCluster = ({ compute_type: type }: OfType): boolean => known[type]?.isCluster === true;

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
export const isBuiltIn = ({ compute_type: type }: OfType): boolean => known[type]?.start === null;

/** How full the balancer of all agents is; null for a listener without such a ceiling. */
export function capacityOf({ capacity }: Pick<Listener, 'capacity'>): string | null {
  if (capacity === null) return null;
  const { target_groups: groups, rules } = capacity;
  return `${groups.in_use} of ${groups.quota} target groups and ${rules.in_use} of ${rules.quota} rules in use, by all tenants`;
}

/** What its status means for who waits. */
export const meaningOf = (listener: Pick<Listener, 'compute_type' | 'status'>): string =>
  isBuiltIn(listener)
    ? `It is a part of this installation, which runs agents on ${kindOf(listener)} itself.`
    : statusMeaning[listener.status];

const statusMeaning: Record<Listener['status'], string> = {
  ONLINE: 'It asks for work.',
  OFFLINE:
    'It has stopped asking for work: new revisions wait for it. What it runs may go on serving. Start it again with the command below.',
  NEVER_SEEN: 'It has never asked for work. Start it with the command below.',
};

/**
 * The command that starts a listener; null where nobody does. Its key stands in a variable, and is read from
 * there alone.
 */
export const startCommand = (listener: Startable, url: string): string | null =>
  known[listener.compute_type]?.start?.(listener, url) ?? null;

const LINE_GOES_ON = ' \\\n';

function startOnMachine({ id }: Startable, url: string): string {
  return [
    'SLIPWAY_API_KEY=$LISTENER_KEY npm run listener --',
    `  --url ${url}`,
    `  --listener-id ${id}`,
    '  --data-dir .listener',
  ].join(LINE_GOES_ON);
}

function startInCluster({ id, compute_config }: Startable, url: string): string {
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
    ].join(LINE_GOES_ON),
  ].join('\n');
}
