import { write } from '../../store/dynamodb/write.ts';
import { stageNow } from '../../store/engine/revisions.ts';
import { noteStopReason } from '../../store/engine/transactions/outcomes.ts';
import { recordFailure } from './record-failure.ts';
import type { EngineDeps, Loaded } from './situation.ts';

export async function failBuildOverdue(deps: EngineDeps, loaded: Loaded): Promise<void> {
  const { slotRevision } = loaded;
  const minutes = Math.round(deps.settings.buildSeconds / 60);
  const message =
    slotRevision?.at_capacity === true
      ? `No build could start within ${minutes} minutes: ${slotRevision.status_message ?? 'all builders were busy.'}`
      : `The build did not end within ${minutes} minutes and was stopped.`;
  await failBuild(deps, loaded, message);
}

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

/** Stops the build, if there is one, before its failure is recorded: the next revision must not build beside it. */
async function failBuild(deps: EngineDeps, loaded: Loaded, message: string): Promise<void> {
  const { slotRevision } = loaded;
  if (slotRevision?.build_id !== undefined) {
    // First the reason: the build itself will say no more than that it was stopped.
    await write(deps.table, noteStopReason(slotRevision, message));
    await deps.builds.stop(slotRevision.build_id);
  }
  await recordFailure(deps, loaded, 'build', message);
}
