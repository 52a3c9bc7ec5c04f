import {
  GetFunctionConfigurationCommand,
  LambdaClient,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { expectApi } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { clientConfig } from './aws-environment.ts';
import { register } from './installation.ts';
import type { Tour } from './tour.ts';

type Claimed = { poll_after_seconds: number; doorbell?: { url: string; rings: boolean } };

/** A listener is rung over a WebSocket of the emulator, from the write of a request to the message. */
export function doorbellTests(at: () => Tour): void {
  it('rings for a listener, and takes its socket away with its key', async () => {
    const { slipway, ground } = at();
    const { emulator } = ground;
    const listener = await register(slipway, {
      compute_type: 'process',
      compute_id: 'rung',
      compute_config: {},
    });
    const asListener = { ...slipway, apiKey: listener.apiKey };
    const claim = (doorbell: boolean) =>
      expectApi<Claimed>(
        asListener,
        'POST',
        `/v2/listeners/${listener.id}/tasks/claim`,
        { instance_id: 'one', max: 1, doorbell },
        200,
      );
    const { doorbell } = await claim(false);
    const offered = new URL(doorbell?.url ?? '');
    expect(offered.host).toMatch(/^\w+\.execute-api\./);
    // The emulator has no such host, but serves what is there under a path.
    const [apiId = ''] = offered.host.split('.');
    const base = `${emulator.endpoint.replace('http', 'ws')}/_aws/execute-api/${apiId}${offered.pathname}`;
    await reachableAt(emulator, base);
    const open = (apiKey: string) =>
      new WebSocket(`${base}${offered.search}`, { headers: { 'x-api-key': apiKey } });
    const refused = open(slipway.apiKey);
    await new Promise((resolve) => refused.on('error', resolve));
    const socket = open(listener.apiKey);
    const heard: string[] = [];
    let isClosed = false;
    socket.on('message', (data) => heard.push((data as Buffer).toString())); // what ws hands over by default
    socket.on('close', () => (isClosed = true));
    await until(() => socket.readyState === WebSocket.OPEN, { what: 'an open socket' });
    expect(await claim(true)).toMatchObject({ poll_after_seconds: 300, doorbell: { rings: true } });
    const started = performance.now();
    const change = { compute_config: { k8s_namespaces: ['one'] } };
    await expectApi(slipway, 'PATCH', `/v2/listeners/${listener.id}`, change, 200);
    await until(() => heard.length > 0, { what: 'a ring' });
    process.stdout.write(
      `from a request's change to the ring: ${Math.round(performance.now() - started)} ms\n`,
    );
    expect(heard[0]).toBe('{"type":"ring"}');
    const keys = await expectApi<{ resources: { id: string; listener_id: string | null }[] }>(
      slipway,
      'GET',
      '/v2/api-keys?limit=100',
      undefined,
      200,
    );
    const own = keys.resources.find(({ listener_id: of }) => of === listener.id);
    await expectApi(slipway, 'DELETE', `/v2/api-keys/${own?.id}`, undefined, 204);
    await until(() => isClosed, { what: 'a closed socket' });
  });
}

/** Has the function that rings send to the emulator instead of to a host of AWS. */
async function reachableAt(emulator: Tour['ground']['emulator'], url: string): Promise<void> {
  const lambda = new LambdaClient(clientConfig(emulator));
  const FunctionName = 'slipway-test-ring';
  const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  const Variables = { ...Environment?.Variables, DOORBELL_URL: url };
  await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }));
}
