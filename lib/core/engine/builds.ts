import { stageNow } from '../items/revisions.ts';
import type { EngineDeps, Loaded } from './load.ts';
import { recordFailure } from './record-failure.ts';
import { stopBuild } from './stop-build.ts';

export async function failBuildOverdue(deps: EngineDeps, loaded: Loaded): Promise<void> {
  const { build_phase: phase, status_message: said } = loaded.slotRevision ?? {};
  const { buildSeconds, buildQueueSeconds } = deps.settings;
  const message =
    phase === 'running'
      ? `The build did not end within ${minutesOf(buildSeconds)} minutes and was stopped.`
      : `No build could start within ${minutesOf(buildQueueSeconds)} minutes (${said ?? 'all builders were busy'}). Redeploy this revision when fewer builds run, or have more of them allowed at once.`;
  await failBuild(deps, loaded, message);
}

const minutesOf = (seconds: number): number => Math.round(seconds / 60);

const ABORTED = 'The execution of this revision was aborted by hand in the workflow service.';

export async function failAborted(deps: EngineDeps, loaded: Loaded): Promise<void> {
  const { slotRevision } = loaded;
  if (slotRevision === undefined) return;
  const stage = stageNow(slotRevision);
  switch (stage) {
    case 'build':
      return failBuild(deps, loaded, `${ABORTED} Redeploy this revision to build it again.`);
    case 'create':
      return recordFailure(deps, loaded, stage, `${ABORTED} Nothing of the source was touched; redeploy it.`);
    case 'deploy':
      return recordFailure(
        deps,
        loaded,
        stage,
        `${ABORTED} What was active before keeps serving; redeploy this revision to try again.`,
      );
  }
}

async function failBuild(deps: EngineDeps, loaded: Loaded, message: string): Promise<void> {
  if (loaded.slotRevision !== undefined) await stopBuild(deps, loaded.slotRevision, message);
  await recordFailure(deps, loaded, 'build', message);
}
