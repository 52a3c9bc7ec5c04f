import { api, expectApi, type Program } from '../support/programs/program.ts';
import { until } from '../support/until.ts';

type Made = Record<string, string>;

const HEARTBEAT_MILLISECONDS = 15_000;

/** Nobody listens there. */
const PROVIDER_BODY = {
  ...{ provider_id: 'asked', name: 'asked', client_id: 'c', client_secret: 's' },
  ...{ auth_url: 'http://127.0.0.1:1/auth', token_url: 'http://127.0.0.1:1/token' },
};

/** What the questions name beside what they make up, by the names of `schemathesis.toml`. */
export async function makeFixtures(program: Program): Promise<Made> {
  const post = (path: string, body: object): Promise<Made> => expectApi(program, 'POST', path, body, 201);
  const compute_config = { k8s_namespaces: ['agents'] };
  const listener = (compute_id: string) =>
    post('/v2/listeners', { compute_type: 'k8s', compute_id, compute_config });
  // One that no program speaks for: the questions are its listener.
  const { id: LISTENER = '' } = await listener('asked');
  const { id: VICTIM_LISTENER = '' } = await listener('deleted');
  const deployment = (name: string) =>
    post('/v2/deployments', {
      name,
      source: 'internal_source',
      source_config: {},
      source_revision_config: {},
    });
  const { id: DEPLOYMENT = '', latest_revision_id: REVISION = '' } = await deployment('asked');
  const { id: VICTIM = '' } = await deployment('deleted');
  const { id: OTHER_VICTIM = '' } = await deployment('deleted-with-others');
  const { key: LISTENER_KEY = '' } = await post('/v2/api-keys', {
    name: 'asked',
    role: 'listener',
    listener_id: LISTENER,
  });
  const { provider_id: PROVIDER = '' } = await expectApi<Made>(
    program,
    'POST',
    '/v2/auth/providers',
    PROVIDER_BODY,
    200,
  );
  const granted = await makeGrants(program, PROVIDER);
  const { id: VICTIM_KEY = '' } = await post('/v2/api-keys', { name: 'revoked', role: 'viewer' });
  const made = {
    DEPLOYMENT,
    REVISION,
    LISTENER,
    LISTENER_KEY,
    VICTIM,
    OTHER_VICTIM,
    VICTIM_LISTENER,
    VICTIM_KEY,
    PROVIDER,
    ...granted,
    BASE_URL: program.baseUrl,
  };
  const worked = await claimedTask(program, made, 'worked-on');
  const ended = await claimedTask(program, made, 'ended');
  const { TASK: ENDED_TASK = '', LEASE: ENDED_LEASE = '' } = ended;
  return { API_KEY: program.apiKey, ...made, ...worked, ENDED_TASK, ENDED_LEASE };
}

/** OAuth tokens, and connections of the agent `asked` to one of them. */
async function makeGrants(program: Program, provider_id: string): Promise<Made> {
  const grant = (user_id: string): Promise<Made> =>
    expectApi(program, 'POST', '/v2/auth/tokens/import', { provider_id, user_id, access_token: 'a' }, 200);
  const { id: TOKEN = '' } = await grant('asked');
  const { id: OTHER_TOKEN = '' } = await grant('other');
  const { id: VICTIM_TOKEN = '' } = await grant('deleted');
  const connect = (oauth_token_id: string): Promise<Made> =>
    expectApi(program, 'POST', '/v2/auth/agents/asked/connections', { oauth_token_id }, 201);
  const { id: CONNECTION = '' } = await connect(TOKEN);
  const { id: VICTIM_CONNECTION = '' } = await connect(OTHER_TOKEN);
  return { TOKEN, VICTIM_TOKEN, CONNECTION, VICTIM_CONNECTION };
}

/** A task that the listener has claimed, and the deployment that it is of. */
async function claimedTask(
  program: Program,
  { LISTENER, LISTENER_KEY }: { LISTENER: string; LISTENER_KEY: string },
  name: string,
): Promise<Made> {
  const image = {
    name,
    source_config: { listener_id: LISTENER },
    source_revision_config: { image_uri: 'team/agent:1' },
  };
  const { id: WORK = '' } = await expectApi<Made>(program, 'POST', '/v2/deployments', image, 201);
  const listener = { ...program, apiKey: LISTENER_KEY };
  const path = `/v2/listeners/${LISTENER}/tasks/claim`;
  type Claimed = { tasks: { task_id: string; lease_id: string }[] };
  const claim = async () => {
    // An instance of its own: another would be given what it has already.
    const { tasks } = await expectApi<Claimed>(listener, 'POST', path, { instance_id: name }, 200);
    return tasks[0];
  };
  const { task_id: TASK, lease_id: LEASE } = await until(claim, { what: 'a task' });
  return { WORK, TASK, LEASE };
}

/** Keeps the claimed tasks for the questions, until the signal aborts; they may have ended one. */
export function keepTasks(program: Program, names: Made, ended: AbortSignal): void {
  const { LISTENER, LISTENER_KEY = '', TASK, LEASE, ENDED_TASK, ENDED_LEASE } = names;
  const listener = { ...program, apiKey: LISTENER_KEY };
  const beat = (task: string | undefined, lease_id: string | undefined) =>
    api(listener, 'POST', `/v2/listeners/${LISTENER}/tasks/${task}/heartbeat`, { lease_id }).catch(
      () => undefined,
    );
  const beating = setInterval(() => {
    void beat(TASK, LEASE);
    void beat(ENDED_TASK, ENDED_LEASE);
  }, HEARTBEAT_MILLISECONDS);
  ended.addEventListener('abort', () => clearInterval(beating));
}
