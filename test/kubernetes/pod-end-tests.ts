import { describe, expect, it } from 'vitest';
import {
  type Client,
  eventOf,
  isReady,
  newPod,
  type PodAt,
  podUntil,
  readPod,
  serving,
  waitFor,
} from './client.ts';

type At = () => { client: Client; namespace: string };

/** A pod that was deleted has its grace. */
function endTests(at: At): void {
  const endOf = async (image: string): Promise<{ pod: PodAt; endedAfterMs: number }> => {
    const { client, namespace } = at();
    const pod = await newPod(client, namespace, serving(image));
    await podUntil(pod, 'a ready pod', isReady);
    await client.core.deleteNamespacedPod(pod);
    const started = performance.now();
    const terminating = await readPod(pod);
    expect(terminating.metadata?.deletionTimestamp).toBeDefined();
    const isGone = () =>
      readPod(pod)
        .then(() => false)
        .catch(() => true);
    await waitFor('the end', isGone);
    return { pod, endedAfterMs: performance.now() - started };
  };

  it('is over early when it exits, and else with its grace', async () => {
    const [early, late] = await Promise.all([
      endOf('pretend.test/exits-after-ms-500:1'),
      endOf('pretend.test/ignores-term:1'),
    ]);
    expect(late.endedAfterMs).toBeGreaterThan(early.endedAfterMs);
    await eventOf(late.pod, 'Killing', 'Stopping container main');
  });

  it('serves during its preStop pause, and is not ready after SIGTERM', async () => {
    const { client, namespace } = at();
    const lifecycle = { preStop: { exec: { command: ['sh', '-c', 'sleep 1'] } } };
    const spec = serving('pretend.test/ignores-term:1', { lifecycle });
    const pod = await newPod(client, namespace, { ...spec, terminationGracePeriodSeconds: 3 });
    await podUntil(pod, 'a ready pod', isReady);
    await client.core.deleteNamespacedPod(pod);
    const paused = await readPod(pod);
    expect([isReady(paused), paused.metadata?.deletionTimestamp]).toEqual([true, expect.any(Date)]);
    await podUntil(pod, 'SIGTERM', (seen) => !isReady(seen));
  });
}

export function podEndTests(at: At): void {
  describe.concurrent('a pod that is deleted', () => {
    endTests(at);
  });
}
