import { describe, expect, it } from 'vitest';
import {
  type Client,
  changedAfterMs,
  eventOf,
  isReady,
  newPod,
  type PodAt,
  podUntil,
  readPod,
  serving,
  statusOf,
  waitFor,
} from './client.ts';

type At = () => { client: Client; namespace: string };

/** Longer than any test takes. */
const GRACE_SECONDS = 600;

/** A pod that was deleted has its grace. */
function endTests(at: At): void {
  const readyPod = async (image: string, main: object = {}): Promise<PodAt> => {
    const { client, namespace } = at();
    const spec = { ...serving(image, main), terminationGracePeriodSeconds: GRACE_SECONDS };
    const pod = await newPod(client, namespace, spec);
    await podUntil(pod, 'a ready pod', isReady);
    return pod;
  };
  /** Gives when it is to be over, as its deletion was answered. */
  const deleted = async (pod: PodAt): Promise<Date> => {
    const { metadata } = await pod.client.core.deleteNamespacedPod(pod);
    expect(metadata?.deletionTimestamp).toBeInstanceOf(Date);
    return metadata?.deletionTimestamp ?? new Date(0);
  };
  const isGone = async (pod: PodAt): Promise<boolean> => (await statusOf(readPod(pod))) === 404;

  it('is over early when it exits, and else with its grace', async () => {
    const late = await readyPod('pretend.test/ignores-term:1');
    const early = await readyPod('pretend.test/exits-after-ms-500:1');
    // In this order: if both took their grace, the late one would be the first to be gone.
    await deleted(late);
    await deleted(early);
    await waitFor('the early end', () => isGone(early));
    expect(await isGone(late)).toBe(false);
    // So nobody has to wait for all of it.
    await late.client.core.deleteNamespacedPod({ ...late, gracePeriodSeconds: 1 });
    await waitFor('the end with its grace', () => isGone(late));
    await eventOf(late, 'Killing', 'Stopping container main');
  });

  it('serves during its preStop pause, and is not ready after SIGTERM', async () => {
    const lifecycle = { preStop: { exec: { command: ['sh', '-c', 'sleep 3'] } } };
    const pod = await readyPod('pretend.test/ignores-term:1', { lifecycle });
    const overAt = await deleted(pod);
    const terminated = await podUntil(pod, 'SIGTERM', (seen) => !isReady(seen));
    const deletedAt = new Date(overAt.getTime() - GRACE_SECONDS * 1_000);
    expect(changedAfterMs(terminated, deletedAt)).toBeGreaterThanOrEqual(3_000);
  });
}

export function podEndTests(at: At): void {
  describe.concurrent('a pod that is deleted', () => {
    endTests(at);
  });
}
