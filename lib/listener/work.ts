import manifest from '../../package.json' with { type: 'json' };
import { pause } from './backoff.ts';
import { ClaimLoop } from './claim-loop.ts';
import type { ControlPlane } from './control-plane.ts';
import { minuteOf } from './counts/measured.ts';
import { MinuteLoop } from './counts/minute-loop.ts';
import { WaitingCounts } from './counts/waiting-counts.ts';
import { Doorbell } from './doorbell.ts';
import type { Driver } from './driver.ts';
import type { Leases } from './leases.ts';
import type { Log } from './log.ts';
import type { LogShipper } from './log-shipper.ts';
import { OtlpExporter } from './otlp/exporter.ts';
import { Reconciler } from './reconciler.ts';
import { StatusReporter } from './status-reporter.ts';
import { TaskRunner } from './task-runner.ts';

const LAST_LOGS_MILLISECONDS = 2000;

type Parts = {
  controlPlane: ControlPlane;
  shipper: LogShipper;
  leases: Leases;
  log: Log;
  /** What folders and images are built for, where it is not this machine. */
  platform?: string;
  /** False: another program may be working for this listener. */
  mayClaim?: () => boolean;
  /** The address of the listener's own routes, and the key to them. */
  access: { base: string; apiKey: string };
  /** Hears how long the control plane is not asked now, in milliseconds. */
  onRest?: (milliseconds: number) => void;
  /** Where counts outlive this program; absent: nowhere. */
  countsFile?: string;
  /** Where measurements are sent as well. */
  otlp: { otlpEndpoint?: string | undefined; otlpHeaders: Readonly<Record<string, string>> };
};

/** What a listener does with its driver, whatever that runs agents on. */
export type Work = {
  /** Learns what runs already, brings it in line with what should, then asks for work. */
  start(driver: Driver): Promise<void>;
  /** What runs of this deployment has changed. */
  changed(deploymentId: string): void;
  /** Asks for no more work. */
  end(): void;
  /** Resolves soon after `end`, when all that can be is reported and shipped. */
  finished(): Promise<void>;
};

export function composeWork(parts: Parts): Work {
  const { controlPlane, shipper, leases, log } = parts;
  const stopping = new AbortController();
  let reporter: StatusReporter | undefined;
  let ends: Promise<unknown>[] = [];
  const waiting = new WaitingCounts(parts.countsFile, log);

  const start = async (driver: Driver) => {
    const reporting = reporterOf(parts, driver, () => claims);
    reporter = reporting;
    const reconciler: Reconciler = new Reconciler({
      controlPlane,
      driver,
      log,
      isBusy: (deploymentId) => tasks.holds(deploymentId),
    });
    const common = { controlPlane, log, pause };
    let changes: number | undefined;
    const tasks: TaskRunner = new TaskRunner({
      ...common,
      driver,
      shipper,
      leases,
      stopping: stopping.signal,
      claimAgain: () => claims.again(),
      onEnded: (deploymentId) => (reconciler.request(deploymentId), claims.wake()),
    });
    const doorbell: Doorbell = new Doorbell({ ...parts.access, log, pause, onRing: () => claims.wake() });
    const claims: ClaimLoop = new ClaimLoop({
      ...common,
      ...claimantOf(parts),
      doorbell,
      tasksAtOnce: driver.tasksAtOnce,
      holding: () => tasks.held(),
      counts: {
        due: () => waiting.due(minuteOf(Date.now())),
        settle: (rows) => waiting.settle(rows),
      },
      unmeasured: () => driver.unmeasured(),
      reports: reporting,
      onAnswer: (answer) => {
        // The first one too: something may have changed since everything was looked at.
        if (answer.desired_changes !== changes) reconciler.look();
        changes = answer.desired_changes;
        for (const task of answer.tasks) tasks.accept(task);
        for (const taskId of answer.cancelled) tasks.cancel(taskId);
      },
    });
    await driver.start();
    ends = [
      runLoops(reconciler, [reporting, claims, doorbell], stopping.signal),
      minutesOf(parts, driver, waiting, () => doorbell.isOpen() && claims.wake()).run(stopping.signal),
      untilStopped(stopping.signal, tasks),
    ];
  };

  return {
    start,
    changed: (deploymentId) => reporter?.changed(deploymentId),
    end: () => stopping.abort(),
    finished: async () => {
      // A wait that ignores its signal must not keep what is already stopped from ending.
      await Promise.race([Promise.all(ends), pause(LAST_LOGS_MILLISECONDS)]);
      await shipper.close(LAST_LOGS_MILLISECONDS);
    },
  };
}

/** What claims say of this program, and when it may claim. */
const claimantOf = ({ leases, platform, mayClaim, onRest }: Parts) => ({
  instanceId: leases.instanceId,
  version: manifest.version,
  ...(platform !== undefined && { platform }),
  ...(mayClaim !== undefined && { mayClaim }),
  ...(onRest !== undefined && { onRest }),
});

/** Tells what runs, by claims where they can. */
const reporterOf = ({ controlPlane, log }: Parts, driver: Driver, claims: () => ClaimLoop): StatusReporter =>
  new StatusReporter({
    controlPlane,
    reports: () => driver.reports(),
    claims: { carries: () => claims().carries(), wake: () => claims().wake() },
    log,
    pause,
    now: () => performance.now(),
  });

function exporterOf({ otlp, leases, log }: Parts): OtlpExporter | undefined {
  const { otlpEndpoint: endpoint, otlpHeaders: headers } = otlp;
  if (endpoint === undefined) return undefined;
  const { instanceId } = leases;
  return new OtlpExporter({ endpoint, headers, instanceId, version: manifest.version, log });
}

/** What was counted rides on claims, and where a doorbell rings one is made for it. */
function minutesOf(parts: Parts, driver: Driver, waiting: WaitingCounts, claimNow: () => void): MinuteLoop {
  const exporter = exporterOf(parts);
  return new MinuteLoop({
    measure: () => driver.measure(),
    waiting: {
      add: async (rows, minute) => {
        await waiting.add(rows, minute);
        if (rows.length > 0) claimNow();
      },
    },
    onMinute: exporter && ((measured, minute) => exporter.note(measured, minute)),
    log: parts.log,
    pause,
    now: Date.now,
  });
}

type Loop = { run: (signal: AbortSignal) => Promise<unknown> };

/** What should run here is known before the first work is asked for. */
async function runLoops(reconciler: Reconciler, others: Loop[], signal: AbortSignal): Promise<void> {
  reconciler.request();
  await reconciler.once(signal);
  await Promise.all([reconciler, ...others].map((loop) => loop.run(signal)));
}

/** What is worked on when the listener stops ends too. */
async function untilStopped(signal: AbortSignal, tasks: TaskRunner): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  await tasks.finished();
}
