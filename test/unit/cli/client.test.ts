import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { makeDeployment, warningClient } from '../../../lib/cli/first-agent/client.ts';
import { onLoopback } from '../../support/http/loopback-server.ts';

it('the client says what the API ignored of what it sent, and nothing where it read all', async () => {
  const answers = [{ 'X-Slipway-Ignored': 'version, source_config.branch' }, {}];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(201, { 'content-type': 'application/json', ...answers.shift() });
    response.end('{"id": "one"}');
  });
  const { url, close } = await onLoopback(server);
  onTestFinished(close);
  const said: string[] = [];
  const client = warningClient(url, 'key', (line) => said.push(line));
  expect(await makeDeployment(client, 'hello')).toBe('one');
  expect(said).toEqual([expect.stringContaining('POST /v2/deployments: ')]);
  expect(said[0]).toContain('version, source_config.branch');
  expect(await makeDeployment(client, 'hello')).toBe('one');
  expect(said).toHaveLength(1);
});
