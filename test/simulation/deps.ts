import type { BackoffOptions } from 'exponential-backoff';
import { SourceError } from '../../lib/adapters/git.ts';
import type { Deps } from '../../lib/core/deps.ts';
import { unkeyed } from '../../lib/core/idempotency.ts';
import { installationDefaults, limitDefaults } from '../../lib/settings/defaults.ts';
import type { Patience } from '../../lib/store/dynamodb/patience.ts';
import { fakeGit } from '../support/world/fake-git.ts';
import { throttled } from './faults.ts';
import type { Ground } from './ground.ts';
import type { Guards } from './guards.ts';
import type { Invocation } from './invocation.ts';
import type { Plan } from './plan.ts';
import type { BlobStore } from './services/blob-store.ts';
import type { BuildService } from './services/builds.ts';
import type { Executions } from './services/executions.ts';
import { clientOf } from './table/client.ts';
import type { MemoryTable } from './table/memory-table.ts';

/** What a function of a run is given; what people sign in with is not simulated. */
export type SimulatedDeps = Omit<Deps, 'oauth' | 'oauthDiscovery'>;

export type Services = {
  ground: Ground;
  table: MemoryTable;
  executions: Executions;
  builds: BuildService;
  blobs: BlobStore;
  /** Waits for work for a listener, where claims are held. */
  taskNotifier: (invocation: Invocation) => Deps['taskNotifier'];
  sockets: Deps['sockets'];
  isRung: boolean;
  /** Names the runtime, where one does all. */
  ownerId: string | undefined;
  patienceSeconds: Plan['patienceSeconds'];
  guards: Guards | undefined;
  /** Ends a revision in one transaction and frees its slot in another. */
  splitsEnds: boolean;
};

/** Tries again as `exponential-backoff` does, in the time of the run. */
function patienceOf({ time, random, newId }: Ground, invocation: Invocation): Patience {
  const tryAgain = async <T>(attempt: () => Promise<T>, options: Partial<BackoffOptions>): Promise<T> => {
    const {
      startingDelay = 100,
      timeMultiple = 2,
      maxDelay = Number.POSITIVE_INFINITY,
      numOfAttempts = 10,
    } = options;
    for (let tries = 1; ; tries++) {
      try {
        return await attempt();
      } catch (error) {
        const again = tries < numOfAttempts && (await (options.retry ?? (() => true))(error, tries));
        if (!again) throw error;
        const longest = Math.min(maxDelay, startingDelay * timeMultiple ** (tries - 1));
        await invocation.wait(options.jitter === 'full' ? random.next() * longest : longest);
      }
    }
  };
  const pause = (milliseconds: number) => invocation.wait(milliseconds);
  return { now: () => Math.floor(time.now), newRequestToken: newId, pause, tryAgain };
}

const settingsFor = ({ listener, queue, build }: Plan['patienceSeconds']): Deps['settings'] => ({
  allowFileRepositories: true,
  registryHost: undefined,
  ...installationDefaults,
  unclaimedSeconds: listener,
  silentSeconds: listener,
  buildSeconds: build,
  buildQueueSeconds: queue,
  keptArtifacts: 3,
  limits: { ...limitDefaults },
  addresses: { allowedHosts: [], loopback: true },
});

const notSimulated = (): never => {
  throw new Error('this is not simulated');
};

/** What is sealed is bound to its owner all the same. */
const oneKey: Deps['keys'] = {
  generateDataKey: async () => ({ plaintext: new Uint8Array(32), wrapped: 'one' }),
  openDataKey: async () => new Uint8Array(32),
};

/** Execution names and build ids begin with the revision's id; its deployment is who it is asked about. */
export type DeploymentOf = (revisionId: string) => string | undefined;

/** The dependencies of one call of a function. */
export function depsOf(
  services: Services,
  invocation: Invocation,
  deploymentOf: DeploymentOf,
): SimulatedDeps {
  const { ground, executions, builds } = services;
  const { time, newId } = ground;
  const aboutName = (name: string) => deploymentOf(name.replace(/^build-/, '').slice(0, 36));
  return {
    table: {
      client: clientOf(services, invocation),
      name: 'simulated',
      ...(services.guards && { keeps: services.guards.keeps }),
      patience: patienceOf(ground, invocation),
    },
    clock: {
      now: () => Math.floor(time.now),
      orderedId: newId,
      randomId: newId,
      wait: (ms) => invocation.wait(ms),
    },
    keys: oneKey,
    blobs: blobsOf(services, invocation),
    logs: logsOf(invocation),
    git: gitOf(services, invocation),
    commitStatuses: { set: async () => undefined },
    repositoryLists: { list: notSimulated },
    repositories: { branches: notSimulated, history: notSimulated, files: notSimulated },
    tokenChecks: { check: notSimulated },
    tokenIssuers: { issuers: [], verify: notSimulated },
    builds: {
      start: (job) =>
        invocation.call('builds', 'starting a build', () => builds.start(job), job.deploymentId),
      stop: (id) => invocation.call('builds', 'stopping a build', () => builds.stop(id), aboutName(id)),
      state: (id) => invocation.call('builds', 'asking for a build', () => builds.state(id), aboutName(id)),
    },
    workflow: {
      start: (name, input) =>
        invocation.call('workflow', 'a start', () => executions.start(name, input), input.deploymentId),
      status: (name) =>
        invocation.call(
          'workflow',
          'asking for an execution',
          () => executions.status(name),
          aboutName(name),
        ),
      succeed: (token, output) =>
        invocation.call('workflow', 'answering a token', () => executions.succeed(token, output)),
      fail: (token, error) =>
        invocation.call('workflow', 'failing a token', () => executions.fail(token, error)),
    },
    events: { publish: async () => undefined },
    webhookSender: { send: notSimulated },
    webhookWaker: { wake: async () => undefined },
    headWaker: { wake: async () => undefined },
    taskNotifier: services.taskNotifier(invocation),
    ...(services.isRung && { doorbell: { addressOf: () => 'doorbell' } }),
    sockets: services.sockets,
    images: {
      hold: async () => undefined,
      deleteAll: ({ deploymentId }) =>
        invocation.call('images', 'deleting images', () => undefined, deploymentId),
    },
    registry: undefined,
    idempotency: unkeyed,
    auditLog: { handedOut: () => undefined, refused: () => undefined },
    ...(services.ownerId !== undefined && { ownerId: services.ownerId }),
    settings: settingsFor(services.patienceSeconds),
  };
}

const ownerOfKey = (key: string): string | undefined => key.split('/')[2];

function blobsOf({ blobs }: Services, invocation: Invocation): Deps['blobs'] {
  const call = <T>(what: string, key: string, effect: () => T) =>
    invocation.call('blobs', what, effect, ownerOfKey(key));
  return {
    downloadUrl: async () => 'https://blobs.test/artifact',
    uploadUrl: async () => 'https://blobs.test/upload',
    head: (key) => call('a look at a blob', key, () => blobs.head(key)),
    pin: notSimulated,
    list: (key) => call('a list of blobs', key, () => blobs.list(key)),
    delete: (key) => call('deleting a blob', key, () => blobs.delete(key)),
    deleteBelow: (key) =>
      call('deleting blobs', key, () => {
        blobs.deleteBelow(key);
        return 'done';
      }),
  };
}

function logsOf(invocation: Invocation): Deps['logs'] {
  return {
    lagMilliseconds: 0,
    append: ({ deploymentId }) => invocation.call('logs', 'a log line', () => undefined, deploymentId),
    query: ({ deploymentId }) =>
      invocation.call('logs', 'reading a log', () => ({ entries: [], nextOffset: undefined }), deploymentId),
    delete: (_, deploymentId) => invocation.call('logs', 'deleting logs', () => 'done', deploymentId),
  };
}

/** The commit of a push, by its number. */
const commitOf = (push: number): string => push.toString(16).padStart(40, '0');

function gitOf({ ground: { faults, facts } }: Services, invocation: Invocation): Deps['git'] {
  return fakeGit((repoUrl, ref) =>
    invocation.call('git', 'resolving a ref', () => {
      if (faults.chance(0.005)) throw throttled();
      if (faults.chance(0.03)) {
        facts.unreadableSources.add(ref);
        throw new SourceError(`${repoUrl} has no ref ${ref}`);
      }
      return commitOf(facts.pushes);
    }),
  );
}
