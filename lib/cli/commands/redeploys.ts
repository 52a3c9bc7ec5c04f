import type { Deployment, Revision } from '../../client/endpoints.ts';
import { numberOf } from '../../client/revision.ts';
import { command, type Given } from '../shell/command.ts';
import { configurationOf, differenceLines } from '../shell/difference.ts';
import { Ended } from '../shell/ends.ts';
import { finish, waitFlags } from '../shell/finish.ts';
import { deploymentOf, getRevision, revisionOf, revisionsFrom } from '../shell/names.ts';
import type { Shell } from '../shell/shell.ts';

const REDEPLOY = 'POST /v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy';
const PAGE = 100;

const common = {
  reason: { value: 'TEXT', says: 'why; it is shown with the revision, and audited' },
  'current-secrets': { says: "with today's secrets instead of those that the revision had" },
  ...waitFlags,
} as const;

export const rollback = command({
  name: 'rollback',
  args: '[REVISION]',
  says: 'Run an earlier revision again, exactly as it ran',
  more: 'Without a revision: the one that served before. It shows what changes, and asks.',
  examples: ['slipway rollback', 'slipway rollback 3 --deployment agent -y --reason "3 answered faster"'],
  flags: {
    deployment: { short: 'd', value: 'D', says: "the deployment (default: the folder's)" },
    yes: { short: 'y', says: 'ask nothing' },
    ...common,
  },
  async run(shell, given, [wanted]) {
    const deployment = await deploymentOf(shell, given.deployment);
    const target =
      wanted === undefined ? await before(shell, deployment) : await revisionOf(shell, deployment, wanted);
    const { name, active_revision_id: active } = deployment;
    if (active !== null) {
      const [from, to] = await Promise.all(
        [active, target.id].map((id) => configurationOf(shell, deployment, id)),
      );
      const lines = differenceLines(shell.output, from ?? {}, to ?? {}, 'stderr');
      shell.output.say(
        `Revision ${numberOf(active)} serves ${name}; revision ${numberOf(target.id)} differs from it in:`,
      );
      for (const line of lines.length === 0 ? ['nothing but what was built'] : lines)
        shell.output.sayAsIs(`  ${line}`);
    }
    await shell.confirm(`Run revision ${numberOf(target.id)} of ${name} again?`, given.yes);
    await again(shell, deployment, target, given);
  },
});

export const restart = command({
  name: 'restart',
  args: '[D]',
  says: 'Start what serves once more, as a new revision',
  examples: ['slipway restart agent', 'slipway restart --current-secrets'],
  flags: common,
  async run(shell, given, [name]) {
    const deployment = await deploymentOf(shell, name);
    if (deployment.active_revision_id === null)
      throw new Ended(`${deployment.name} does not serve, so there is nothing to restart.`);
    await again(
      shell,
      deployment,
      await getRevision(shell, deployment, deployment.active_revision_id),
      given,
    );
  },
});

/** The newest revision before the one that serves that has served itself. */
async function before(shell: Shell, deployment: Deployment): Promise<Revision> {
  const { name, active_revision_id: active } = deployment;
  const current = active === null ? Number.POSITIVE_INFINITY : numberOf(active);
  for (const each of await revisionsFrom(shell, deployment, 0, PAGE))
    if (each.status === 'DEPLOYED' && numberOf(each.id) < current) return each;
  throw new Ended(`${name} has no earlier revision that was deployed.`);
}

async function again(
  shell: Shell,
  { id }: Deployment,
  target: Revision,
  given: Given<typeof common>,
): Promise<void> {
  const { reason } = given;
  const made = await shell.client.ask(
    REDEPLOY,
    {
      params: { deployment_id: id, revision_id: target.id },
      query: given['current-secrets'] === true ? { secrets: 'current' } : {},
      body: reason === undefined ? {} : { reason },
    },
    { signal: shell.world.signal },
  );
  await finish(shell, made, given);
}
