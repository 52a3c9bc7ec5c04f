import { managedListenerId } from '../../../lib/core/items/managed.ts';
import { type DriveDeps, drive } from '../../../lib/drive/drive.ts';
import { ComputeTwin } from './compute-twin.ts';
import { change, post } from './requests.ts';
import { aRunningWorld, type RunningWorld } from './running-world.ts';
import { reaches } from './steps.ts';

/** In `paused`: no driver runs. */
export const ALL = 'all';

/** A world that runs agents itself, on compute in memory. */
export type DrivenWorld = RunningWorld & {
  compute: ComputeTwin;
  /** Deployments whose driver was woken. */
  woken: string[];
  /** Deployments of which a driver that is woken does not run. */
  paused: Set<string>;
  drive(deploymentId: string, deps?: Partial<DriveDeps>): Promise<void>;
  /** How many runs of drivers are under way. */
  running(): number;
  driveDeps(): DriveDeps;
};

export async function aDrivenWorld(): Promise<DrivenWorld> {
  const world = await aRunningWorld({ settings: { managedCompute: 'ecs' } });
  const compute = new ComputeTwin();
  // A driver waits in the time of the world.
  const wait = async (milliseconds: number) => world.advance(milliseconds / 1000);
  const driveDeps = (): DriveDeps => ({
    ...world.deps,
    clock: { ...world.deps.clock, wait },
    compute: compute.of,
  });
  const { tenantId } = world.caller;
  let runs = 0;
  const driven: DrivenWorld = Object.assign(world, {
    compute,
    woken: [],
    paused: new Set<string>(),
    driveDeps,
    listenerId: managedListenerId(tenantId),
    drive: async (deploymentId: string, deps: Partial<DriveDeps> = {}) => {
      runs += 1;
      await drive({ ...driveDeps(), ...deps }, { tenantId, deploymentId }).finally(() => (runs -= 1));
    },
    running: () => runs,
  });
  driven.deps.computeDriver = {
    wake: async ({ deploymentId }) => {
      driven.woken.push(deploymentId);
      if (!driven.paused.has(deploymentId) && !driven.paused.has(ALL)) await driven.drive(deploymentId);
    },
  };
  return driven;
}

export const imageOf = (tag: string): string => `registry.example.com/app:${tag}`;

/** A deployment of an image, on the managed listener. */
export const postImage = ({ deps, caller, listenerId }: DrivenWorld, name: string, changes: object = {}) =>
  post(
    { deps, caller },
    {
      name,
      source_config: { listener_id: listenerId, ...changes },
      source_revision_config: { image_uri: imageOf('one') },
    },
  );

/** A deployment that serves the image `one`. */
export async function serving(world: DrivenWorld, name: string, changes: object = {}): Promise<string> {
  const { id, latest_revision_id: first } = await postImage(world, name, changes);
  await reaches(world, id, first, 'DEPLOYED');
  return id;
}

/** Asks for another image, and gives the revision's id. */
export const next = async (world: DrivenWorld, id: string, tag: string): Promise<string> =>
  (await change(world, id, { source_revision_config: { image_uri: imageOf(tag) } })).latest_revision_id;
