import type { Webhook } from '../../client/endpoints.ts';
import { command } from '../shell/command.ts';
import { deploymentOf } from '../shell/names.ts';
import { timeCell } from '../shell/shown.ts';
import { type Things, thingCommands, thingOf } from '../shell/things.ts';

const formats = ['standard', 'json', 'slack'] as const satisfies readonly Webhook['format'][];

const webhooks: Things<Webhook> = {
  noun: 'webhooks',
  one: 'webhook',
  rowsOf: ({ client, world: { signal } }) => client.list('GET /v2/webhooks', {}, { signal }),
  nameOf: ({ name }) => name,
  heading: ['NAME', 'FORMAT', 'STATUS', 'ADDRESS', 'ID'],
  cellsOf: ({ name, format, status, disabled_reason: reason, url, id }) => [
    name,
    format,
    status === 'ENABLED'
      ? { text: 'enabled', style: 'green' }
      : { text: reason === null ? 'disabled' : `disabled: ${reason}`, style: 'yellow' },
    url,
    id,
  ],
  removal: {
    says: 'Delete a webhook with its secret',
    consequence: 'What was not delivered yet is dropped.',
    run: ({ client, world: { signal } }, { id }) =>
      client.ask('DELETE /v2/webhooks/{webhook_id}', { params: { webhook_id: id } }, { signal }),
  },
};
const [list, remove] = thingCommands(webhooks);

const create = command({
  name: 'webhooks create',
  args: 'NAME URL',
  says: 'Have events delivered to an address; the secret that signs them is printed this once',
  examples: ['slipway webhooks create ops https://ops.example.com/slipway --deployment agent'],
  flags: {
    format: { value: 'FORMAT', says: 'of what is sent (default: standard)', among: formats },
    deployment: { short: 'd', value: 'D', says: 'only events of this deployment', multiple: true },
  },
  async run(shell, given, [name = '', url = '']) {
    const found = [];
    for (const each of given.deployment ?? []) found.push((await deploymentOf(shell, each)).id);
    const format = formats.find((each) => each === given.format);
    const body = { name, url, format, deployment_ids: found.length === 0 ? undefined : found };
    const made = await shell.client.ask('POST /v2/webhooks', { body }, { signal: shell.world.signal });
    shell.output.result(made, made.secret === undefined ? [] : [made.secret]);
  },
});

const test = command({
  name: 'webhooks test',
  args: 'NAME',
  says: 'Send a test to a webhook; its deliveries tell what came of it',
  examples: ['slipway webhooks test ops'],
  flags: {},
  async run(shell, _, [name = '']) {
    const { id } = await thingOf(shell, webhooks, name);
    const params = { webhook_id: id };
    const sent = await shell.client.ask(
      'POST /v2/webhooks/{webhook_id}/test',
      { params },
      { signal: shell.world.signal },
    );
    shell.output.result(sent, [`${name}: a test is on its way`]);
  },
});

const RECENT = 20;

const deliveries = command({
  name: 'webhooks deliveries',
  args: 'NAME',
  says: 'List the last attempts to deliver events to a webhook, newest first',
  examples: ['slipway webhooks deliveries ops'],
  flags: {},
  async run(shell, _, [name = '']) {
    const { output, world } = shell;
    const { id } = await thingOf(shell, webhooks, name);
    const { resources } = await shell.client.ask(
      'GET /v2/webhooks/{webhook_id}/deliveries',
      { params: { webhook_id: id }, query: { limit: RECENT } },
      { signal: world.signal },
    );
    const rows = resources.map(({ at, event_type: type, result, status_code: code, reason }) => [
      timeCell(at, world.now(), output.isForPeople),
      type,
      result.toLowerCase(),
      reason ?? String(code ?? ''),
    ]);
    output.result(
      resources,
      rows.length === 0 ? [] : output.table(['AT', 'EVENT', 'RESULT', 'ANSWER'], rows),
    );
  },
});

export const webhookCommands = [list, create, test, deliveries, remove];
