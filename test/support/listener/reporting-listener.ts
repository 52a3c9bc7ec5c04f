import { onTestFinished } from 'vitest';
import type { CountsRow } from '../../../lib/contract/deployments/counts.ts';
import type { ClaimResponse } from '../../../lib/features/listener-protocol/shape.ts';
import type { Pause } from '../../../lib/listener/backoff.ts';
import { ClaimLoop } from '../../../lib/listener/claim-loop.ts';
import type { ClaimBody } from '../../../lib/listener/control-plane.ts';
import type { StatusReport } from '../../../lib/listener/driver.ts';
import { ControlPlaneRefused } from '../../../lib/listener/http.ts';
import { createLog } from '../../../lib/listener/log.ts';
import { StatusReporter } from '../../../lib/listener/status-reporter.ts';
import { until } from '../until.ts';

export const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
/** Changes that come within so many milliseconds are one report. */
export const SETTLED = 50;
const RINGING = { poll_after_seconds: 300, doorbell: { url: 'doorbell', rings: true } };

type Claim = {
  body: ClaimBody;
  signal: AbortSignal;
  answer: (with_?: Partial<ClaimResponse>) => void;
  refuse: (status: number) => void;
};
type Post = { reports: StatusReport[]; answer: () => void };

/** A clock that goes on when it is told to. */
function aClock() {
  let now = 0;
  const waiting = new Set<{ at: number; go: () => void }>();
  const pause: Pause = (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const go = () => {
        waiting.delete(each);
        signal?.removeEventListener('abort', go);
        resolve();
      };
      const each = { at: now + milliseconds, go };
      waiting.add(each);
      signal?.addEventListener('abort', go);
    });
  /** Lets all run that is not waiting for time or for an answer. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const advance = async (milliseconds: number) => {
    const end = now + milliseconds;
    for (;;) {
      await settled();
      const [next] = [...waiting].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      now = Math.max(now, next.at);
      next.go();
    }
    now = end;
  };
  return { now: () => now, pause, advance };
}

/** A listener's loops that claim and report, of these deployments. The test is the control plane. */
export function aListener(deployments: number[] = [1], counts: CountsRow[] = []) {
  const { now, pause, advance } = aClock();
  const state = new Map<number, StatusReport>();
  const claims: Claim[] = [];
  const posts: Post[] = [];
  const doorbell = { isNow: true, isOpen: () => doorbell.isNow, learned: () => undefined };
  const log = createLog('error', () => undefined);
  const reporter: StatusReporter = new StatusReporter({
    controlPlane: {
      status: ({ reports }, signal) =>
        new Promise((resolve, reject) => {
          signal.throwIfAborted();
          signal.addEventListener('abort', () => reject(signal.reason));
          posts.push({ reports, answer: resolve });
        }),
    },
    reports: () => [...state.values()],
    claims: { carries: () => loop.carries(), wake: () => loop.wake() },
    log,
    pause,
    now,
  });
  const loop: ClaimLoop = new ClaimLoop({
    controlPlane: {
      claim: (body, signal) =>
        new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          const given = { tasks: [], cancelled: [] };
          const reported = body.reports && { reported: body.reports.length };
          const answer: Claim['answer'] = (with_) => resolve({ ...given, ...RINGING, ...reported, ...with_ });
          const refuse = (status: number) => reject(new ControlPlaneRefused(status, `HTTP ${status}`));
          claims.push({ body, signal, answer, refuse });
        }),
    },
    instanceId: 'one',
    version: '1',
    log,
    pause,
    tasksAtOnce: 3,
    holding: () => [],
    unmeasured: () => [],
    counts: { due: () => [...counts], settle: async (rows) => void counts.splice(0, rows.length) },
    doorbell,
    reports: reporter,
    onAnswer: () => undefined,
  });
  const set = (n: number, epoch: number) =>
    state.set(n, { deployment_id: id(n), revision_id: id(n), epoch, healthy: true });
  for (const n of deployments) set(n, 1);
  const end = new AbortController();
  const running = [reporter.run(end.signal), loop.run(end.signal)];
  const stop = async () => {
    end.abort();
    await Promise.all(running);
  };
  onTestFinished(stop);
  const change = async (n: number, epoch: number) => {
    set(n, epoch);
    reporter.changed(id(n));
    await advance(SETTLED);
  };
  const claim = (n: number) => until(() => claims[n], { what: `claim ${n}`, firstMs: 1 });
  /** The listener at rest, rung by an answer that was given before. */
  const rung = async () => {
    (await claim(0)).answer();
    await advance(1);
  };
  return { loop, claims, posts, doorbell, counts, advance, change, claim, rung, stop };
}

/** Which deployments at which epoch. */
export const said = (reports: readonly StatusReport[] | undefined) =>
  reports?.map(({ deployment_id, epoch }) => `${Number(deployment_id.slice(-12))}@${epoch}`);
export const rode = ({ body }: Claim) => said(body.reports);
