import manifest from '../../package.json' with { type: 'json' };
import { pause } from './backoff.ts';
import { ClaimLoop } from './claim-loop.ts';
import type { ControlPlane } from './control-plane.ts';
import { minuteOf } from './counts/measured.ts';
import { MinuteLoop } from './counts/minute-loop.ts';
import { WaitingCounts } from './counts/waiting-counts.ts';
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
    const reporting = new StatusReporter(controlPlane, () => driver.reports(), log);
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
    const claims: ClaimLoop = new ClaimLoop({
      ...common,
      instanceId: leases.instanceId,
      tasksAtOnce: driver.tasksAtOnce,
      version: manifest.version,
      ...(parts.platform !== undefined && { platform: parts.platform }),
      ...(parts.mayClaim !== undefined && { mayClaim: parts.mayClaim }),
      holding: () => tasks.held(),
      counts: {
        due: () => waiting.due(minuteOf(Date.now())),
        settle: (rows) => waiting.settle(rows),
      },
      unmeasured: () => driver.unmeasured(),
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
      runLoops(reconciler, [reporting, claims], stopping.signal),
      minutesOf(parts, driver, waiting).run(stopping.signal),
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

function exporterOf({ otlp, leases, log }: Parts): OtlpExporter | undefined {
  const { otlpEndpoint: endpoint, otlpHeaders: headers } = otlp;
  if (endpoint === undefined) return undefined;
  const { instanceId } = leases;
  return new OtlpExporter({ endpoint, headers, instanceId, version: manifest.version, log });
}

function minutesOf(parts: Parts, driver: Driver, waiting: WaitingCounts): MinuteLoop {
  const exporter = exporterOf(parts);
  return new MinuteLoop({
    measure: () => driver.measure(),
    waiting,
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
