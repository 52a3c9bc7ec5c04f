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
    { kind: 'registry_access', image, pullSecrets: undefined, setting: 'dockerHubSecret' },
    `The registry does not hand out the image '${image}' to the account in dockerHubSecret. Whoever runs this installation looks whether that is right and may read it; or push it to this installation's registry (source 'internal_docker').`,
  ],
  [
    { kind: 'needs_missing', stores: ['REDIS_URI_CUSTOM'], licence: false },
    'This is a LangGraph server, which keeps threads in Postgres and runs in Redis, of which none is brought here. Give the secret REDIS_URI_CUSTOM and deploy again. Without it, use a Dockerfile or an image with another server, or deploy to a listener of the type process.',
  ],
  [
    { kind: 'needs_missing', stores: ['POSTGRES_URI_CUSTOM', 'REDIS_URI_CUSTOM'], licence: true },
    "This is a LangGraph server, which keeps threads in Postgres and runs in Redis, of which none is brought here; LangChain's own also ends at once without a licence. Give the secrets POSTGRES_URI_CUSTOM, REDIS_URI_CUSTOM and LANGGRAPH_CLOUD_LICENSE_KEY (LANGSMITH_API_KEY instead, where LangChain lets your account run it with that) and deploy again. Without them, use a Dockerfile or an image with another server, or deploy to a listener of the type process.",
  ],
  [
    { kind: 'needs_missing', stores: [], licence: true },
    "This is LangChain's agent server, which ends at once without a licence. Give the secret LANGGRAPH_CLOUD_LICENSE_KEY (LANGSMITH_API_KEY instead, where LangChain lets your account run it with that) and deploy again. Without it, use a Dockerfile or an image with another server, or deploy to a listener of the type process.",
  ],
  [
    {
      kind: 'exited',
      exitCode: 3,
      times: 2,
      output: [
        'ValueError: License verification failed. Please ensure proper configuration:',
        'Application startup failed. Exiting.',
      ],
    },
    "The server exits in a loop: 2 times so far, last with code 3: LangChain's agent server could not verify a licence. Give a valid one as the secret LANGGRAPH_CLOUD_LICENSE_KEY (LANGSMITH_API_KEY instead, where LangChain lets your account run it with that), let the server reach beacon.langchain.com and api.smith.langchain.com, and deploy again. Without one, use a Dockerfile or an image with another server, or deploy to a listener of the type process. Its last lines of output:\nValueError: License verification failed. Please ensure proper configuration:\nApplication startup failed. Exiting.",
  ],
  [
    { kind: 'exited', exitCode: 1, times: 2, output: [`KeyError: "Config 'REDIS_URI' is missing"`] },
    `The server exits in a loop: 2 times so far, last with code 1: LangChain's agent server found no Postgres or no Redis. Give their addresses as the secrets POSTGRES_URI_CUSTOM and REDIS_URI_CUSTOM, and in resource_spec a queue_ field such as queue_cpu, by which an image says that it is such a server; then deploy again. Without them, use a Dockerfile or an image with another server, or deploy to a listener of the type process. Its last lines of output:\nKeyError: "Config 'REDIS_URI' is missing"`,
  ],
  [
    { kind: 'secrets_unreadable', said: 'unable to retrieve secret\n from asm' },
    'Fargate cannot read the secrets that the server is started with (unable to retrieve secret from asm). Redeploy in a while. If it stays so, whoever runs this installation looks whether its start role may read the items that agentSecrets and dockerHubSecret name, and whether they have what they are to have.',
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
    { kind: 'pull_limit', image: 'python:3.13', said: 'toomanyrequests: no', pullSecrets: undefined },
    "The registry of the image 'python:3.13' hands out no more for now (toomanyrequests: no). Wait some hours, or copy it to a registry without such a limit: this installation's, for example. Whoever runs this installation may give it an account at Docker Hub (dockerHubSecret).",
  ],
  [
    { kind: 'pull_limit', image, said: 'toomanyrequests: no', pullSecrets: undefined },
    `The registry of the image '${image}' hands out no more for now (toomanyrequests: no). Wait some hours, or copy it to a registry without such a limit: this installation's, for example.`,
  ],
  [
    {
      kind: 'pull_limit',
      image: 'python:3.13',
      said: 'toomanyrequests: no',
      pullSecrets: undefined,
      setting: 'dockerHubSecret',
    },
    "The registry of the image 'python:3.13' hands out no more for now (toomanyrequests: no). Wait some hours, or copy it to a registry without such a limit: this installation's, for example. Whoever runs this installation may raise the limit of the account in dockerHubSecret.",
  ],
  [
    { kind: 'pull_limit', image: 'python:3.13', said: '429 Too Many Requests', pullSecrets: [] },
    "The registry of the image 'python:3.13' hands out no more for now (429 Too Many Requests). Wait some hours, or copy it to a registry without such a limit: this installation's, for example. Name a pull secret of an account with a higher limit in resource_spec.image_pull_secrets.",
  ],
  [
    { kind: 'refused', by: 'pod_security', said: 'violates PodSecurity "restricted:latest":\n hostPath' },
    `The Pod Security level of the agent's namespace refuses its servers (violates PodSecurity "restricted:latest": hostPath). Change what it names in resource_spec, or have the namespace's label pod-security.kubernetes.io/enforce changed.`,
  ],
  [
    { kind: 'refused', by: 'limit', said: 'maximum cpu usage per Container is 1, but limit is 2' },
    "A limit of the agent's namespace refuses its servers (maximum cpu usage per Container is 1, but limit is 2). Change what it names in resource_spec, or have the limit changed.",
  ],
  [
    { kind: 'refused', by: 'policy', said: 'no images of banned.test' },
    'A policy of the cluster refuses its servers (no images of banned.test). Change what it names, or have the policy changed.',
  ],
  [
    { kind: 'service_account_missing', name: 'mine' },
    "There is no ServiceAccount 'mine' in the namespace of the agent. Create it, or correct resource_spec.service_account_name.",
  ],
  [
    { kind: 'refused_for_now', said: 'failed calling webhook' },
    'The cluster makes no server at the moment (failed calling webhook). It is tried again; whoever runs the cluster can see why.',
  ],
  [
    { kind: 'store_down', store: 'Postgres', said: 'no storage class is set' },
    'The servers wait for the Postgres that is brought for them: no storage class is set. It is tried again. Or give the address of your own as the secret POSTGRES_URI_CUSTOM.',
  ],
  [
    { kind: 'store_down', store: 'Redis', said: undefined },
    'The servers wait for the Redis that is brought for them: it is being started. It is tried again. Or give the address of your own as the secret REDIS_URI_CUSTOM.',
  ],
  [
    { kind: 'ok_status', status: 503, path: '/ok' },
    'GET /ok answers 503 instead of 200. The server must answer 200 there once it is ready; its deploy log may say why it does not.',
  ],
  [
    { kind: 'ok_status', status: 404, path: '/ready' },
    'GET /ready answers 404 instead of a status from 200 to 399. The server must answer a status from 200 to 399 at the path of its health_check once it is ready; its deploy log may say why it does not.',
  ],
  [
    { kind: 'ok_silent', port: 8000, path: '/ok' },
    'Nothing answers GET /ok on port 8000. Let the server listen on 0.0.0.0, at the port that the variable PORT names.',
  ],
  [
    { kind: 'ok_silent', port: 8000, path: undefined },
    'Nothing listens on port 8000. Let the server listen on 0.0.0.0, at the port that the variable PORT names.',
  ],
  [
    { kind: 'deadline', timeoutSeconds: 600, ready: 1, wanted: 3, cause: undefined },
    'Not ready after 600 s, with 1 of 3 servers up. Its deploy log may say what it waits for.',
  ],
  [
    {
      kind: 'deadline',
      timeoutSeconds: 600,
      ready: 0,
      wanted: 1,
      cause: { kind: 'ok_status', status: 500, path: '/ok' },
    },
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
      new Set([
        'no_capacity',
        'quota',
        'refused_for_now',
        'store_down',
        'pull_limit',
        'ok_status',
        'ok_silent',
      ]),
    );
  });
});
