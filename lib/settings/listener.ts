import { machineRows, PORT } from './machine.ts';
import type { Row } from './row.ts';
import {
  address,
  choice,
  listOfTexts,
  namespaces,
  pathPrefix,
  platform,
  publicHosts,
  text,
  yesOrNo,
} from './values.ts';

/** A setting of a listener: an option, a variable, or both. */
export type ListenerRow = Row & {
  /** What stands for its value in the usage. Absent: the option is a flag, and its variable `true`. */
  value?: string;
  /** A text goes on after `is required`. */
  required?: true | string;
  /** Which of the two has it. */
  only?: 'option' | 'variable';
};
type ListenerRows = Readonly<Record<string, ListenerRow>>;

/** Of every listener. */
export const commonRows = {
  url: { does: 'address of the control plane', value: 'URL', required: true, schema: address },
  listenerId: { does: 'which listener this is', value: 'ID', required: true, schema: text },
  // Arguments can be seen by everybody on the machine.
  apiKey: { does: 'the key of the listener', value: 'KEY', required: true, only: 'variable', schema: text },
  startTimeoutSeconds: { ...machineRows.startTimeoutSeconds, value: 'SECONDS' },
  logLevel: { ...machineRows.logLevel, value: 'LEVEL' },
  // Whoever holds its other end is gone then.
  otlpEndpoint: { ...machineRows.otlpEndpoint, value: 'URL' },
  otlpHeaders: { ...machineRows.otlpHeaders, only: 'variable' },
  parentPipe: { does: 'end when standard input ends', only: 'option', defaultShown: '', schema: yesOrNo },
  driver: {
    does: '`kubernetes` runs agents in a cluster. See [Kubernetes](kubernetes.md)',
    value: 'DRIVER',
    schema: choice(['process', 'kubernetes'], 'process'),
  },
} as const satisfies ListenerRows;

/** Of one that runs agents as processes of its machine. */
export const processRows = {
  dataDir: {
    does: 'folder of its files',
    value: 'FOLDER',
    required: true,
    // SLIPWAY_DATA_DIR is the folder of the embedded runtime.
    variable: 'SLIPWAY_LISTENER_DATA_DIR',
    schema: text,
  },
  agentsPort: { does: 'port of the deployed servers', value: 'PORT', ...PORT, default: 4401 },
  agentsUrl: {
    does: 'their public address',
    value: 'URL',
    defaultShown: '`http://localhost:<port>`',
    schema: address,
  },
  pathPrefix: { does: '`/d` serves them at `/d/<name>/`', value: 'PATH', schema: pathPrefix },
  publicHosts: {
    does: 'other host names that they answer to, separated by commas',
    value: 'HOSTS',
    schema: publicHosts,
  },
  trustProxy: { does: 'believe the `X-Forwarded-*` headers of a proxy in front of them', schema: yesOrNo },
  drainSeconds: { ...machineRows.drainSeconds, value: 'SECONDS' },
  postgresUser: { ...machineRows.postgresUser, value: 'NAME' },
} as const satisfies ListenerRows;

/** Of one that runs agents in a cluster. */
export const kubernetesRows = {
  namespaces: {
    does: 'namespaces of the agents, separated by commas. The first is the default',
    value: 'NAMES',
    required: 'with --driver kubernetes',
    defaultShown: 'required in a cluster',
    schema: namespaces,
  },
  kubeconfig: {
    does: 'how the cluster is reached',
    value: 'FILE',
    only: 'option',
    defaultShown: 'as `kubectl` and pods do',
    schema: text,
  },
  leaseNamespace: {
    does: 'where listeners agree on which of them leads',
    value: 'NAME',
    defaultShown: 'first namespace',
    schema: text,
  },
  platform: {
    does: 'what images are built for, such as `linux/arm64`',
    value: 'PLATFORM',
    defaultShown: "this machine's",
    schema: platform,
  },
  heartbeatFile: {
    does: 'a file that is written every few seconds while the program works, for a probe of its age',
    value: 'FILE',
    schema: text,
  },
  postgresImage: {
    does: 'image of the Postgres of deployments that bring none. See [Redis and Postgres](kubernetes.md#redis-and-postgres)',
    value: 'IMAGE',
    defaultShown: 'by digest',
    schema: text,
  },
  redisImage: { does: 'the same of Redis', value: 'IMAGE', defaultShown: 'by digest', schema: text },
  storePullSecrets: {
    does: 'Secrets to pull both with, separated by commas',
    value: 'NAMES',
    schema: listOfTexts,
  },
  openshift: {
    does: 'the cluster gives pods their users. See [OpenShift](kubernetes.md#openshift)',
    schema: yesOrNo,
  },
} as const satisfies ListenerRows;

export const listenerRows: ListenerRows = { ...commonRows, ...processRows, ...kubernetesRows };
