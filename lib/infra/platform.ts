import type { AgentVariableName, Environment, VariableName } from '../settings/variable.ts';
import type { Bundle } from './bundles.ts';
import type { Settings } from './settings.ts';

/** What the driver works on where the installation runs agents itself. */
export type AgentArns = {
  cluster: string;
  /** Of all services of the cluster, of their tasks and of their task definitions. */
  services: string;
  tasks: string;
  taskDefinitions: string;
  targetGroups: string;
  listener: string;
  listenerRules: string;
  scalers: string;
  /** Of the scalers' alarms. */
  alarms: string;
  /** The role of Application Auto Scaling for services. */
  scalingRole: string;
  secrets: string;
  /** The item with variables of all servers, if there is one. */
  sharedVariables: string[];
  /** Whatever has metrics, where agents run; none of it has a name of its own. */
  measured: string[];
  /** Streams of the log of servers. */
  logStreams: string;
  /** What a server may be started with. */
  roles: string[];
};

/** What functions work on, by name and ARN: all that roles and variables are made of. */
export type Platform = {
  settings: Settings;
  bundles: ReadonlyMap<string, Bundle>;
  variables: Environment<Exclude<VariableName, AgentVariableName>> & Partial<Environment<AgentVariableName>>;
  arns: {
    table: string;
    key: string;
    bucket: string;
    jobsBucket: string;
    stateMachine: string;
    /** Of all its executions. */
    executions: string;
    buildProject: string;
    eventBus: string;
    /** The function that delivers events to webhooks. */
    deliver: string;
    /** The function that looks at the heads of branches. */
    heads: string;
    /** The function that rings for listeners. */
    ring: string;
    /** Of all sockets of listeners. */
    sockets: string;
    /** Of all repositories of deployments. */
    repositories: string;
    pushRole: string;
    pullRole: string;
    /** The function that drives what the installation runs itself. */
    drive: string;
    agents: AgentArns;
  };
};

/** The name of a thing of this installation, such as `slipway-prod-get-deployment`. */
export const nameOf = ({ environment }: Pick<Settings, 'environment'>, what: string): string =>
  `slipway-${environment}-${what}`;

/** `getDeployment` is `get-deployment` in names. */
export const kebab = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
