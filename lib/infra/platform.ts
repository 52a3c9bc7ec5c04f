import type { Environment } from '../contract/env.ts';
import type { Bundle } from './bundles.ts';
import type { Settings } from './settings.ts';

/** What functions work on, by name and ARN: all that roles and variables are made of. */
export type Platform = {
  settings: Settings;
  bundles: ReadonlyMap<string, Bundle>;
  variables: Environment;
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
    /** Of all repositories of deployments. */
    repositories: string;
    pushRole: string;
    pullRole: string;
  };
};

/** The name of a thing of this installation, such as `slipway-prod-get-deployment`. */
export const nameOf = ({ environment }: Pick<Settings, 'environment'>, what: string): string =>
  `slipway-${environment}-${what}`;

/** `getDeployment` is `get-deployment` in names. */
export const kebab = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
