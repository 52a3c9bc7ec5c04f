import { describe, expect, it } from 'vitest';
import {
  type Client,
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

/** What keeps a pod from starting, chosen by its image. */
function startTests(at: At): void {
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

export function podStartTests(at: At): void {
  describe.concurrent('a pod before it starts', () => {
    startTests(at);
  });
}
