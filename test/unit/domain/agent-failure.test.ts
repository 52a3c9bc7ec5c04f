import { describe, expect, it } from 'vitest';
import { type AgentFailure, describeFailure, mayPass } from '../../../lib/domain/agent-failure.ts';
import { reasonOf } from '../../../lib/listener/driver.ts';

const image = 'registry.example/app@sha256:1f';
const crowded = {
  kind: 'no_capacity',
  cpu: 2,
  memoryMb: 4096,
  said: '0/3 nodes are available:\n 3 Insufficient cpu.',
} as const;

const SAID: [failure: AgentFailure, text: string][] = [
  [
    { kind: 'image_missing', image },
    `The image '${image}' is not in its registry. Push it, or correct image_uri, and deploy again.`,
  ],
  [
    { kind: 'image_platform', image, found: 'linux/arm64', wanted: 'linux/amd64' },
    `The image '${image}' is made for linux/arm64, and it would run on linux/amd64. Build it for linux/amd64 and deploy again.`,
  ],
  [
    { kind: 'registry_access', image, pullSecrets: [] },
    `The registry does not hand out the image '${image}' without credentials. Name a pull secret for it in resource_spec.image_pull_secrets.`,
  ],
  [
    { kind: 'registry_access', image, pullSecrets: ['hub', 'mirror'] },
    `The registry does not hand out the image '${image}' to the credentials of image_pull_secrets ('hub', 'mirror'). Check that each exists beside the agent and is valid for this registry.`,
  ],
  [
    { kind: 'registry_access', image, pullSecrets: undefined },
    `The registry does not hand out the image '${image}', and there are no pull secrets here. Push it to this installation's registry (source 'internal_docker'), or let anybody pull it.`,
  ],
  [
    { kind: 'stores_missing', variables: ['REDIS_URI_CUSTOM'] },
    'The image runs a LangGraph server, which keeps threads in Postgres and runs in Redis. Neither is brought here: give the address of your own as the secret REDIS_URI_CUSTOM, and deploy again.',
  ],
  [
    { kind: 'out_of_memory', limitField: 'memory_limit_mb', limitMb: 512 },
    'The server needed more than its limit of 512 MB of memory and was ended. Raise memory_limit_mb in resource_spec, or let it use less.',
  ],
  [
    { kind: 'exited', exitCode: 1, times: 1, output: [] },
    'The server exited with code 1, and wrote nothing. Run its image by hand to see why.',
  ],
  [
    { kind: 'exited', exitCode: 3, times: 4, output: ['Traceback', 'KeyError: MODEL'] },
    'The server exits in a loop: 4 times so far, last with code 3. Correct the cause and deploy again. Its last lines of output:\nTraceback\nKeyError: MODEL',
  ],
  [
    { kind: 'no_way_out', subnet: 'subnet-1' },
    "From 'subnet-1' the registry of the image, or the store of its secrets, does not answer. Redeploy in a while. If it stays so, the subnet has no way out to the internet: whoever runs this installation gives it public addresses or a NAT gateway (agentNetwork).",
  ],
  [
    { kind: 'secret_missing', variable: 'DATABASE', secret: 'db', secretKey: 'url' },
    "The variable DATABASE has no value: where the agent runs there is no secret 'db' with the key 'url'. Create it, or correct secret_references.",
  ],
  [
    crowded,
    'No machine has room for a server with 2 CPU and 4096 MB of memory (0/3 nodes are available: 3 Insufficient cpu.). Ask for less in resource_spec, or add machines.',
  ],
  [
    { kind: 'quota', quota: 'agents', said: 'used: cpu=8, limited: cpu=8' },
    "The quota 'agents' is used up (used: cpu=8, limited: cpu=8). Ask for less in resource_spec, or have the quota raised.",
  ],
  [
    { kind: 'ok_status', status: 503 },
    'GET /ok answers 503 instead of 200. The server must answer 200 there once it is ready; its deploy log may say why it does not.',
  ],
  [
    { kind: 'ok_silent', port: 8000 },
    'Nothing answers GET /ok on port 8000. Let the server listen on 0.0.0.0, at the port that the variable PORT names.',
  ],
  [
    { kind: 'deadline', timeoutSeconds: 600, ready: 1, wanted: 3, cause: undefined },
    'Not ready after 600 s, with 1 of 3 servers up. Its deploy log may say what it waits for.',
  ],
  [
    { kind: 'deadline', timeoutSeconds: 600, ready: 0, wanted: 1, cause: { kind: 'ok_status', status: 500 } },
    'Not ready after 600 s, with 0 of 1 servers up. GET /ok answers 500 instead of 200. The server must answer 200 there once it is ready; its deploy log may say why it does not.',
  ],
];

describe('why the servers of an agent do not come up', () => {
  it.each(SAID)('%o', (failure, text) => {
    expect(describeFailure(failure)).toBe(text);
  });

  it('has one line of reason, however much output follows', () => {
    const lines = Array.from({ length: 40 }, (_, n) => `${n} ${'🚢'.repeat(150)}`);
    const text = describeFailure({ kind: 'exited', exitCode: 1, times: 2, output: lines });
    expect(text.split('\n')).toHaveLength(31);
    expect(text.isWellFormed()).toBe(true);
    expect(text.length).toBeLessThan(8000);
    expect(text).toContain('\n39 🚢');
    expect(reasonOf(text)).toBe(
      'The server exits in a loop: 2 times so far, last with code 1. Correct the cause and deploy again.',
    );
  });

  it('passes by itself only where room or time may help', () => {
    const passing = SAID.map(([failure]) => failure).filter(mayPass);
    expect(new Set(passing.map(({ kind }) => kind))).toEqual(
      new Set(['no_capacity', 'quota', 'ok_status', 'ok_silent']),
    );
  });
});
