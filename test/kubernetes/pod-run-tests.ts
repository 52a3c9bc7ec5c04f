import { describe, expect, it } from 'vitest';
import {
  type Client,
  changedAfterMs,
  chooseReady,
  conditionOf,
  eventOf,
  isReady,
  newPod,
  type PodAt,
  podUntil,
  serving,
  waitingOf,
} from './client.ts';

type At = () => { client: Client; namespace: string };

const podOf = (at: At, image: string, annotations: Record<string, string> = {}): Promise<PodAt> =>
  newPod(at().client, at().namespace, serving(image), annotations);

const waitsFor = (at: PodAt, reason: string) =>
  podUntil(at, reason, (pod) => waitingOf(pod)?.reason === reason);

/** What happens to a pod that has started. */
function runTests(at: At): void {
  it('has an address of its own and is ready when nothing else is said', async () => {
    const both = await Promise.all([podOf(at, 'redis:7'), podOf(at, 'registry.example.com/agent:1')]);
    const ready = await Promise.all(both.map((pod) => podUntil(pod, 'a ready pod', isReady)));
    const addresses = new Set(ready.map((pod) => pod.status?.podIP));
    expect(addresses.size).toBe(2);
    for (const address of addresses) expect(address).toMatch(/^10\.\d+\.\d+\.\d+$/);
  });

  it('is killed for its memory and restarts', async () => {
    const pod = await podOf(at, 'pretend.test/oom:1');
    const killed = await podUntil(
      pod,
      'two restarts',
      (seen) => (seen.status?.containerStatuses?.[0]?.restartCount ?? 0) >= 2,
    );
    const terminated = { reason: 'OOMKilled', exitCode: 137 };
    expect(killed.status?.containerStatuses?.[0]?.lastState).toMatchObject({ terminated });
  });

  it('crashes for ever, or once', async () => {
    const [forEver, once] = [
      await podOf(at, 'pretend.test/crash-loop-3:1'),
      await podOf(at, 'pretend.test/crash-once:1'),
    ];
    const looping = await waitsFor(forEver, 'CrashLoopBackOff');
    expect(waitingOf(looping)?.message).toMatch(/^back-off \ds restarting failed container=main pod=pod-/);
    const terminated = { reason: 'Error', exitCode: 3 };
    expect(looping.status?.containerStatuses?.[0]?.lastState).toMatchObject({ terminated });
    expect(isReady(looping)).toBe(false);
    await eventOf(forEver, 'BackOff', 'Back-off restarting failed container main');
    const recovered = await podUntil(once, 'a recovery', isReady);
    expect(recovered.status?.containerStatuses?.[0]).toMatchObject({ restartCount: 1, ready: true });
  });

  it.each([
    ['probe-fails-503', 'Readiness probe failed: HTTP probe failed with statuscode: 503'],
    ['no-answer', ':8000/ok": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'],
    ['no-listener', ':8000: connect: connection refused'],
  ])('%s is not ready', async (name, text) => {
    const pod = await podOf(at, `pretend.test/${name}:1`);
    await eventOf(pod, 'Unhealthy', text);
    // The kubelet tells it before it writes the status.
    const seen = await podUntil(
      pod,
      'a status',
      ({ status }) => status?.containerStatuses?.[0]?.state?.running !== undefined,
    );
    expect(seen.status?.containerStatuses?.[0]).toMatchObject({ ready: false });
    const unready = { status: 'False', reason: 'ContainersNotReady' };
    expect(conditionOf(seen, 'Ready')).toMatchObject(unready);
  });

  it('is restarted when its liveness or startup probe fails too often', async () => {
    const { client, namespace } = at();
    const probe = { httpGet: { path: '/ok', port: 8000 }, periodSeconds: 1, failureThreshold: 1 };
    for (const name of ['liveness', 'startup']) {
      const main = { name: 'main', image: 'pretend.test/no-answer:1', [`${name}Probe`]: probe };
      const pod = await newPod(client, namespace, { containers: [main] });
      const { message } = await eventOf(pod, 'Killing', `failed ${name} probe`);
      expect(message).toBe(`Container main failed ${name} probe, will be restarted`);
    }
  });

  it('becomes ready late, and by choice', async () => {
    const pod = await podOf(at, 'pretend.test/ready-after-ms-1500:1');
    const late = await podUntil(pod, 'a ready pod', isReady);
    const startedAt = late.status?.containerStatuses?.[0]?.state?.running?.startedAt;
    // Times of the API have whole seconds.
    expect(changedAfterMs(late, startedAt)).toBeGreaterThanOrEqual(1_000);
    await chooseReady(pod, false);
    await podUntil(pod, 'an unready pod', (seen) => !isReady(seen));
    await eventOf(pod, 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503');
    await chooseReady(pod, true);
    const seen = await podUntil(pod, 'a ready pod', isReady);
    expect(seen.status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  it('shows init containers and sidecars', async () => {
    const { client, namespace } = at();
    // It cannot begin before its Secret is there, so that what the others wait for is seen.
    const env = [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'prepared', key: 'TOKEN' } } }];
    const initContainers = [
      { name: 'prepare', image: 'pretend.test/run-ms-300:1', env },
      { name: 'beside', image: 'any:1', restartPolicy: 'Always' },
    ];
    const pod = await newPod(client, namespace, { ...serving('any:1'), initContainers });
    await waitsFor(pod, 'PodInitializing');
    const body = { metadata: { name: 'prepared' }, stringData: { TOKEN: 'x' } };
    await client.core.createNamespacedSecret({ namespace, body });
    const { status } = await podUntil(pod, 'a ready pod', isReady);
    expect(status?.initContainerStatuses).toMatchObject([
      { name: 'prepare', ready: true, state: { terminated: { exitCode: 0 } } },
      { name: 'beside', ready: true, started: true, state: { running: {} } },
    ]);
    const failing = [{ name: 'prepare', image: 'pretend.test/crash-loop:1' }];
    const stuck = await newPod(client, namespace, { ...serving('any:1'), initContainers: failing });
    const waiting = { reason: 'CrashLoopBackOff' };
    const seen = await podUntil(
      stuck,
      'a loop',
      (found) => found.status?.initContainerStatuses?.[0]?.state?.waiting?.reason === waiting.reason,
    );
    expect(seen.status?.phase).toBe('Pending');
  });

  it('completes', async () => {
    const { client, namespace } = at();
    for (const [image, phase] of [
      ['pretend.test/completes:1', 'Succeeded'],
      ['pretend.test/crash-loop:1', 'Failed'],
    ] as const) {
      const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image }] };
      const pod = await newPod(client, namespace, spec);
      const ended = await podUntil(pod, phase, (seen) => seen.status?.phase === phase);
      expect(isReady(ended)).toBe(false);
    }
  });
}

export function podRunTests(at: At): void {
  describe.concurrent('a pod that runs', () => {
    runTests(at);
  });
}
