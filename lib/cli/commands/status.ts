import type { Deployment, Revision } from '../../client/endpoints.ts';
import { pause } from '../../client/request.ts';
import { numberOf } from '../../client/revision.ts';
import { command } from '../shell/command.ts';
import { deploymentOf, getRevision } from '../shell/names.ts';
import type { Shell } from '../shell/shell.ts';
import { sourceText, statusCell, timeCell } from '../shell/shown.ts';

const WATCH_MILLISECONDS = 2_000;

export const status = command({
  name: 'status',
  args: '[D]',
  says: 'Show a deployment: whether it serves, where, and how its newest revision goes',
  examples: ['slipway status agent', 'slipway status --watch'],
  flags: { watch: { short: 'w', says: 'go on, a line for each change, until Ctrl-C' } },
  async run(shell, { watch }, [name]) {
    const deployment = await deploymentOf(shell, name);
    const latest = await getRevision(shell, deployment, deployment.latest_revision_id);
    const json = { ...deployment, latest_revision: latest };
    if (watch !== true) return shell.output.result(json, factsOf(shell, deployment, latest));
    return follow(shell, deployment.id);
  },
});

function factsOf({ output, world }: Shell, deployment: Deployment, latest: Revision): string[] {
  const {
    name,
    display_name,
    status: now,
    url,
    active_revision_id: active,
    source_config: config,
  } = deployment;
  const { text, style } = statusCell(latest.status);
  const reason = latest.status_message === null ? '' : `: ${latest.status_message}`;
  return output.facts([
    ['Name', { text: name, style: 'bold' }],
    ['Title', display_name],
    ['Status', statusCell(now)],
    ['Address', url],
    ['Source', config.repo_url ?? null],
    ['Serves', active === null ? null : `revision ${numberOf(active)}`],
    ['Newest', { text: `revision ${numberOf(latest.id)}, ${text}${reason}`, style }],
    ['From', sourceText(latest.source, latest.source_revision_config)],
    ['Runtime', deployment.runtime_resolved],
    ['Not in effect', deployment.active_configuration?.fields.join(', ')],
    ['Updated', timeCell(deployment.updated_at, world.now(), output.isForPeople)],
    ['Id', deployment.id],
  ]);
}

/** A line for each change. */
async function follow(shell: Shell, id: string): Promise<void> {
  const { output, world, client } = shell;
  for (let last = ''; ; await pause(WATCH_MILLISECONDS, world.signal)) {
    const params = { deployment_id: id };
    const deployment = await client.ask(
      'GET /v2/deployments/{deployment_id}',
      { params },
      { signal: world.signal },
    );
    const latest = await getRevision(shell, deployment, deployment.latest_revision_id);
    const [now, newest] = [statusCell(deployment.status).text, statusCell(latest.status).text];
    const reason = latest.status_message === null ? '' : `: ${latest.status_message}`;
    const line = `${deployment.name} ${now}, revision ${numberOf(latest.id)} ${newest}${reason}`;
    if (line !== last) output.entry({ ...deployment, latest_revision: latest }, line);
    last = line;
  }
}
