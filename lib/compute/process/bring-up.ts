import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import type { DeployHooks } from '../../listener/driver.ts';
import type { ProcessSupervisor } from '../../processes/supervisor.ts';
import { fetchArtifact } from './artifact.ts';
import { commandFor, type ServerCommand } from './command-for.ts';
import type { BroughtUp } from './deployment-context.ts';
import { durableCommand } from './durable.ts';
import type { DurableAccess } from './durable-agents.ts';
import { agentCommand } from './langgraph.ts';
import type { Masking } from './output/masking.ts';
import type { OutputThread } from './output/output-thread.ts';
import { runRelease } from './release.ts';
import { startServer } from './server.ts';
import { STATE_FOLDER, TRIAL_FOLDER } from './tidy-folders.ts';

export const IMAGE_REFUSED =
  "This listener runs agent servers as local processes and cannot run the image '{uri}'. Deploy from source, or choose a listener with compute_type k8s, which runs images.";

export type BringUp = {
  spec: DeploySpec;
  options: { baseUrl: string; apiKey: string; agentsUrl: string; startTimeoutMilliseconds: number };
  supervisor: ProcessSupervisor;
  output: Pick<OutputThread, 'open'>;
  /** Of the deployment, and of the revision in it. */
  folders: { deployment: string; revision: string };
  /** For Slipway's own agent server. */
  durable: DurableAccess | undefined;
  masking: Masking;
  signal: AbortSignal;
  say: DeployHooks['say'];
  /** See `DeploymentContext`. */
  beside: boolean;
  isNew: boolean;
};

/**
 * Fetches what is missing of a revision and starts its server. Throws with a reason for a person, leaving
 * nothing running.
 */
export async function bringUp(request: BringUp): Promise<BroughtUp> {
  const { spec, options, supervisor, output, folders, masking, signal, say, isNew } = request;
  if (spec.artifact.kind === 'image') throw new Error(IMAGE_REFUSED.replace('{uri}', spec.artifact.uri));
  const download = { ...options, ...spec.artifact };
  const fetched = await fetchArtifact(supervisor, download, folders.revision, signal);
  const fetchedAt = performance.now();
  const { command, isTrial } = await commandOf(request);
  const run = {
    supervisor,
    spec,
    signal,
    say,
    command,
    isTrial,
    masking,
    startTimeoutMilliseconds: options.startTimeoutMilliseconds,
    output,
  };
  if (isNew) await runRelease(run);
  const server = await startServer(run);
  const times = [fetched.downloadMilliseconds, fetched.unpackMilliseconds, performance.now() - fetchedAt];
  const [downloadMs, unpackMs, startMs] = times.map(Math.round);
  return { server, timing: `download_ms=${downloadMs} unpack_ms=${unpackMs} start_ms=${startMs}` };
}

/** A server that keeps state of its own beside another one is only tried. */
async function commandOf(request: BringUp): Promise<{ command: ServerCommand; isTrial: boolean }> {
  const { spec, folders, durable, beside, options } = request;
  const artifactFolder = folders.revision;
  if (durable !== undefined)
    return { command: await durableCommand(spec, { artifactFolder, ...durable }), isTrial: false };
  const stateFolder = join(folders.deployment, beside ? TRIAL_FOLDER : STATE_FOLDER);
  if (beside) await rm(stateFolder, { recursive: true, force: true });
  const places = { artifactFolder, stateFolder, agentsUrl: options.agentsUrl };
  const agent = spec.start_command ? undefined : await agentCommand(spec, places);
  if (agent !== undefined) return { command: agent, isTrial: beside };
  const command = await commandFor(artifactFolder, spec, options.agentsUrl);
  return { command: { ...command, isAgentServer: spec.server === 'langgraph' }, isTrial: false };
}
