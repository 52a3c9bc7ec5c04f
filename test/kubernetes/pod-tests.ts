import { expect, it } from 'vitest';
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
  readPod,
  serving,
  statusOf,
  waitFor,
  waitingOf,
} from './client.ts';

type At = () => { client: Client; namespace: string };

const podOf = (at: At, image: string, annotations: Record<string, string> = {}): Promise<PodAt> =>
  newPod(at().client, at().namespace, serving(image), annotations);

const waitsFor = (at: PodAt, reason: string) =>
  podUntil(at, reason, (pod) => waitingOf(pod)?.reason === reason);

/** What keeps a pod from starting, chosen by its image. */
export function podStartTests(at: At): void {
  it.each([
    ['pull-fail', 'pretend.test/pull-fail:1: not found'],
    ['pull-other-platform', 'no match for platform in manifest: not found'],
    [
      'pull-unauthorized',
      'from HEAD request to https://pretend.test/v2/pull-unauthorized/manifests/1: 401 Unauthorized',
    ],
  ])('%s cannot be pulled', async (name, text) => {
    const pod = await podOf(at, `pretend.test/${name}:1`);
    expect(waitingOf(await waitsFor(pod, 'ErrImagePull'))?.message).toContain(text);
    const { status } = await waitsFor(pod, 'ImagePullBackOff');
    expect(status).toMatchObject({ phase: 'Pending' });
    expect(status?.containerStatuses?.[0]?.state?.waiting?.message).toMatch(
      /^Back-off pulling image .*: rpc/,
    );
    await eventOf(pod, 'Failed', text);
    const log = at().client.core.readNamespacedPodLog(pod);
    await expect(log).rejects.toMatchObject({ code: 400, body: expect.stringContaining('to pull image') });
  });

  it('pulls with the right password only', async () => {
    const { client, namespace } = at();
    const spec = { ...serving('pretend.test/pull-password-77:1'), imagePullSecrets: [{ name: 'pull' }] };
    const pod = await newPod(client, namespace, spec);
    await waitsFor(pod, 'ImagePullBackOff');
    const config = JSON.stringify({ auths: { 'pretend.test': { username: 'any', password: '77' } } });
    const body = {
      metadata: { name: 'pull' },
      type: 'kubernetes.io/dockerconfigjson',
      stringData: { '.dockerconfigjson': config },
    };
    await client.core.createNamespacedSecret({ namespace, body });
    expect(waitingOf(await podUntil(pod, 'the pull', isReady))).toBeUndefined();
  });

  it('stays unbound while no node takes it', async () => {
    const { client, namespace } = at();
    const chosen = await podOf(at, 'pretend.test/unschedulable:1');
    const large = serving('any:1', { resources: { requests: { cpu: '65' } } });
    const tooLarge = await newPod(client, namespace, large);
    for (const [pod, text] of [
      [chosen, '0/3 nodes are available: 3 Insufficient memory.'],
      [tooLarge, '0/3 nodes are available: 3 Insufficient cpu.'],
    ] as const) {
      const found = await podUntil(
        pod,
        'a verdict',
        (seen) => conditionOf(seen, 'PodScheduled') !== undefined,
      );
      const verdict = { status: 'False', reason: 'Unschedulable', message: text };
      expect(conditionOf(found, 'PodScheduled')).toMatchObject(verdict);
      expect(found.spec?.nodeName).toBeUndefined();
      await eventOf(pod, 'FailedScheduling', text);
    }
  });

  it('waits for the Secret and the key that its environment names', async () => {
    const { client, namespace } = at();
    const secretKeyRef = { name: 'settings', key: 'TOKEN' };
    const env = [{ name: 'TOKEN', valueFrom: { secretKeyRef } }];
    const spec = serving('pretend.test/ok:1', { env });
    const pod = await newPod(client, namespace, spec);
    const message = 'secret "settings" not found';
    expect(waitingOf(await waitsFor(pod, 'CreateContainerConfigError'))).toMatchObject({ message });
    await eventOf(pod, 'Failed', `Error: ${message}`);
    const body = { metadata: { name: 'settings' }, stringData: { OTHER: 'x' } };
    await client.core.createNamespacedSecret({ namespace, body });
    const text = `couldn't find key TOKEN in Secret ${namespace}/settings`;
    await podUntil(pod, text, (seen) => waitingOf(seen)?.message === text);
    const whole = { ...body, stringData: { TOKEN: 'x' } };
    await client.core.replaceNamespacedSecret({ namespace, name: 'settings', body: whole });
    await podUntil(pod, 'the start', isReady);
  });

  it('waits for what is mounted', async () => {
    const { client, namespace } = at();
    const volumes = [{ name: 'files', configMap: { name: 'missing' } }];
    const pod = await newPod(client, namespace, { ...serving('any:1'), volumes });
    await waitsFor(pod, 'ContainerCreating');
    const text = 'MountVolume.SetUp failed for volume "files" : configmap "missing" not found';
    expect((await eventOf(pod, 'FailedMount', text)).type).toBe('Warning');
  });

  it('refuses a behaviour that it does not know', async () => {
    const pod = await podOf(at, 'pretend.test/out-of-luck:1');
    const refused = await waitsFor(pod, 'InvalidImageName');
    expect(waitingOf(refused)?.message).toContain('"out-of-luck" is no behaviour');
  });

  it('chooses by a part of the image, as kube-system/pretend says', async () => {
    const { client } = at();
    const body = { metadata: { name: 'pretend' }, data: { rules: 'acme/broken: crash-loop-7\n' } };
    await client.core.createNamespacedConfigMap({ namespace: 'kube-system', body });
    const pod = await podOf(at, 'registry.example.com/acme/broken@sha256:abc');
    const looping = await waitsFor(pod, 'CrashLoopBackOff');
    expect(looping.status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({ exitCode: 7 });
    await client.core.deleteNamespacedConfigMap({ namespace: 'kube-system', name: 'pretend' });
    await podUntil(pod, 'the rule to end', isReady);
  });
}

/** What happens to a pod that has started. */
export function podRunTests(at: At): void {
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

/** Longer than any test takes. */
const GRACE_SECONDS = 600;

/** A pod that was deleted has its grace. */
export function podEndTests(at: At): void {
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
