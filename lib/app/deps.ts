import type { Blobs } from '../adapters/blobs.ts';
import type { Builds } from '../adapters/builds.ts';
import type { Clock } from '../adapters/clock.ts';
import type { Git } from '../adapters/git.ts';
import type { Keys } from '../adapters/keys.ts';
import type { Logs } from '../adapters/logs.ts';
import type { Offers } from '../adapters/offers.ts';
import type { Workflow } from '../adapters/workflow.ts';
import type { Table } from '../store/table.ts';
import type { Idempotency } from './idempotency.ts';

/** What the installation allows and how long it waits; each composition root fills it from its own environment. */
export type Settings = {
  /** `file:` repositories: only where builds run on the caller's own machine. */
  allowFileRepositories: boolean;
  /** A container registry that images can be pushed to, if there is one. */
  registryHost: string | undefined;
  /** A DEPLOY task that no listener claims for so long fails its revision. */
  unclaimedSeconds: number;
  /** A listener silent for so long after a claim fails its revision. */
  silentSeconds: number;
  /** A build may take so long, waiting included. */
  buildSeconds: number;
};

/** Everything a use case may ask for; each names the parts it needs with `Pick`. */
export type Deps = {
  table: Table;
  clock: Clock;
  keys: Keys;
  blobs: Blobs;
  logs: Logs;
  git: Git;
  builds: Builds;
  workflow: Workflow;
  offers: Offers;
  /** Of the one request that is answered. */
  idempotency: Idempotency;
  settings: Settings;
};
