import { setTimeout as delay } from 'node:timers/promises';
import { isTerminal } from '../../lib/domain/transitions.ts';
import { claimTasks } from '../../lib/features/listener-protocol/claim.ts';
import { complete } from '../support/world/listening.ts';
import { change, github, post } from '../support/world/requests.ts';
import type { RunningWorld } from '../support/world/running-world.ts';

const CLIENTS = 10;
const POLL_MILLISECONDS = 20;

/** Lets builds end as soon as they have begun. */
export function buildAtOnce({ deps: { builds } }: RunningWorld): void {
  const start = builds.start.bind(builds);
  builds.start = async (job) => {
    const started = await start(job);
    setImmediate(() => void builds.succeed(job.buildName));
    return started;
  };
}

/** A listener for which everything runs as soon as it is claimed, until `signal`. */
export async function deployAtOnce(world: RunningWorld, signal: AbortSignal): Promise<void> {
  const params = { listener_id: world.listenerId };
  const body = { instance_id: 'one', max: 10, holding: [], wait_seconds: 0 };
  while (!signal.aborted) {
    const { tasks } = await claimTasks(world.deps, { params, body }, world.caller);
    await Promise.all(
      tasks.map((task) => complete(world, task, 'succeeded', { url: 'http://localhost:4401/d/it' })),
    );
    if (tasks.length === 0) await delay(POLL_MILLISECONDS);
  }
}

/** Makes deployments with so many revisions each, several clients side by side. Gives their ids. */
export async function makeMany(
  world: RunningWorld,
  deployments: number,
  revisions: number,
): Promise<string[]> {
  const names = Array.from({ length: deployments }, (_, n) => `d${n}`);
  const ids: string[] = [];
  const client = async (): Promise<void> => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const { id } = await post(world, github(name));
      for (let n = 1; n < revisions; n++)
        await change(world, id, { source_revision_config: { repo_ref: `ref-${n}` } });
      ids.push(id);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return ids;
}

/** Counts the revisions that have ended, by what is told of them: looking costs the table nothing. */
export function endedCounter({ deps: { events } }: RunningWorld): () => number {
  const ended = new Set<string>();
  const publish = events.publish.bind(events);
  events.publish = (told) => {
    for (const event of told)
      if ('status' in event && event.status !== undefined && isTerminal(event.status))
        ended.add(event.revision_id ?? '');
    return publish(told);
  };
  return () => ended.size;
}
