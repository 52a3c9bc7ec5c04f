import { describe, expect, it } from 'vitest';
import { type Client, followLog, isReady, newPod, type PodAt, podUntil, serving, waitFor } from './client.ts';

type At = () => { client: Client; namespace: string };

/** As the kubelet writes it: always nine digits. */
const STAMPED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z) (.*)$/;

export function logTests(at: At): void {
  const podOf = async (image: string, annotations: Record<string, string> = {}): Promise<PodAt> => {
    const { client, namespace } = at();
    const pod = await newPod(client, namespace, serving(image), annotations);
    await podUntil(pod, 'a start', (seen) => (seen.status?.containerStatuses?.[0]?.containerID ?? '') !== '');
    return pod;
  };
  const read = (pod: PodAt, options: object = {}) =>
    pod.client.core.readNamespacedPodLog({ namespace: pod.namespace, name: pod.name, ...options });

  describe.concurrent('the log of a pod', () => {
    it('has the text of an annotation, with times, a tail and a limit', async () => {
      const pod = await podOf('any:1', { 'pretend/log': 'first\nsecond\nthird' });
      expect(await read(pod)).toBe('first\nsecond\nthird\n');
      expect(await read(pod, { tailLines: 1 })).toBe('third\n');
      expect(await read(pod, { limitBytes: 8 })).toBe('first\nse');
      const lines = (await read(pod, { timestamps: true })).trimEnd().split('\n');
      const stamps = lines.map((line) => STAMPED.exec(line)?.[1] ?? '');
      expect(lines.map((line) => STAMPED.exec(line)?.[2])).toEqual(['first', 'second', 'third']);
      expect(new Set(stamps).size).toBe(3);
      expect(stamps).toEqual(stamps.toSorted());
    });

    it('is followed while it grows, from a time on, to the end of the container', async () => {
      const pod = await podOf('pretend.test/log-every-ms-200:1');
      const all = await followLog(pod, { timestamps: true });
      await waitFor('lines', () => all.lines.some((line) => line.endsWith(' tick 8')));
      const [sinceTime = ''] = STAMPED.exec(all.lines.at(-1) ?? '')?.slice(1) ?? [];
      const later = await followLog(pod, { timestamps: true, sinceTime });
      await waitFor('more lines', () => later.lines.some((line) => line.endsWith(' tick 12')));
      // The API server passes on only whole seconds.
      const second = `${sinceTime.slice(0, 19)}.000000000Z`;
      expect(later.lines.every((line) => line >= second)).toBe(true);
      await pod.client.core.deleteNamespacedPod(pod);
      await waitFor('the end of the log', () => all.ended && later.ended);
      expect(later.lines.length).toBeLessThan(all.lines.length);
      expect(all.lines.at(-1)).toMatch(/ main ends with exit code 0$/);
      expect(all.lines.at(-2)).toMatch(/ main received SIGTERM$/);
      expect(new Set(all.lines).size).toBe(all.lines.length);
      expect(later.lines.at(-1)).toBe(all.lines.at(-1));
    });

    it('can be left while it is followed', async () => {
      const pod = await podOf('any:1');
      const followed = await followLog(pod);
      await waitFor('a line', () => followed.lines.length > 0);
      followed.stop();
      expect(followed.lines).toEqual(['pretend log of main']);
    });

    it('is kept of the run before', async () => {
      const pod = await podOf('pretend.test/crash-loop-9/log-lines-2:1');
      const ended = 'line 1\nline 2\nmain ends with exit code 9\n';
      await waitFor('a restart', () => read(pod, { previous: true }).catch(() => undefined));
      expect(await read(pod, { previous: true })).toBe(ended);
      const healthy = await podOf('any:1');
      await podUntil(healthy, 'a ready pod', isReady);
      const refused = { code: 400, body: expect.stringContaining('previous terminated container') };
      await expect(read(healthy, { previous: true })).rejects.toMatchObject(refused);
    });
  });
}
