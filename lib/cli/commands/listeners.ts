import type { Listener } from '../../client/endpoints.ts';
import { command } from '../shell/command.ts';
import type { Style } from '../shell/output.ts';
import { timeCell } from '../shell/shown.ts';
import { type Things, thingCommands } from '../shell/things.ts';

const types = ['k8s', 'process'] as const satisfies readonly Listener['compute_type'][];

const states: Readonly<Record<Listener['status'], { text: string; style: Style }>> = {
  ONLINE: { text: 'online', style: 'green' },
  OFFLINE: { text: 'offline', style: 'red' },
  NEVER_SEEN: { text: 'never seen', style: 'yellow' },
};

export const listeners: Things<Listener> = {
  noun: 'listeners',
  one: 'listener',
  rowsOf: ({ client, world: { signal } }) => client.list('GET /v2/listeners', {}, { signal }),
  nameOf: ({ compute_id: name }) => name,
  heading: ['NAME', 'TYPE', 'STATUS', 'VERSION', 'LAST SEEN', 'ID'],
  cellsOf: (row, { output, world }) => [
    row.is_default ? `${row.compute_id} (default)` : row.compute_id,
    row.compute_type,
    states[row.status],
    row.version ?? '',
    row.last_seen_at === null ? '' : timeCell(row.last_seen_at, world.now(), output.isForPeople),
    row.id,
  ],
  removal: {
    says: 'Delete a listener that no deployment uses',
    consequence: 'Its keys end with it.',
    run: ({ client, world: { signal } }, { id }) =>
      client.ask('DELETE /v2/listeners/{listener_id}', { params: { listener_id: id } }, { signal }),
  },
};
const [list, remove] = thingCommands(listeners);

const create = command({
  name: 'listeners create',
  args: 'NAME',
  says: 'Register a place where deployments run',
  more: 'Its program is started there with a key of its own: slipway keys create NAME --role listener --listener NAME',
  examples: ['slipway listeners create my-cluster --type k8s --namespace agents --default'],
  flags: {
    type: { value: 'TYPE', says: 'what it runs them on (default: k8s)', among: types },
    namespace: { value: 'NAME', says: 'in a cluster: where it may run them', multiple: true },
    default: { says: 'deployments that name none get this one' },
  },
  async run({ client, output, world }, given, [name = '']) {
    const type = types.find((each) => each === given.type) ?? 'k8s';
    const body = {
      compute_type: type,
      compute_id: name,
      compute_config: given.namespace === undefined ? {} : { k8s_namespaces: given.namespace },
      is_default: given.default,
    };
    const made = await client.ask('POST /v2/listeners', { body }, { signal: world.signal });
    output.result(made, [made.id]);
  },
});

export const listenerCommands = [list, create, remove];
