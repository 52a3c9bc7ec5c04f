import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { onLoopback } from '../http/loopback-server.ts';
import { bodyOf } from './provider.ts';

/** What was asked of it. */
export type Received = {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  form: URLSearchParams;
};
type Answer = (response: ServerResponse, received: Received) => void;

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
const GOOD = { access_token: 'an-access-token', token_type: 'Bearer', expires_in: 3600 };
const HUGE_BYTES = 1024 * 1024;

/** Answers of a token or revocation endpoint that break the rules, fail, or go on for ever. */
export const misbehaviours = {
  hangs: () => undefined,
  drops: (response) => response.destroy(),
  'sends half an answer': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"access_token": "half');
  },
  'answers 500': (response) => json(response, 500, { error: 'server_error' }),
  'answers 503 in HTML': (response) =>
    response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Sorry</h1>'),
  'answers 429': (response) => json(response, 429, { error: 'slow_down' }),
  'answers 400 in HTML': (response) =>
    response.writeHead(400, { 'content-type': 'text/html' }).end('<script>alert(1)</script>'),
  'answers 200 in HTML': (response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
  'answers without end': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...GOOD, access_token: 'x'.repeat(HUGE_BYTES) }));
  },
  'redirects inside': (response) =>
    response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
  'gives no token': (response) => json(response, 200, { token_type: 'Bearer' }),
  'gives a token of a kind of its own': (response) => json(response, 200, { ...GOOD, token_type: 'mac' }),
  'gives an empty token': (response) => json(response, 200, { ...GOOD, access_token: '' }),
  'answers an array': (response) => json(response, 200, [GOOD]),
  'says an error with 200': (response) => json(response, 200, { error: 'bad_verification_code' }),
  'reflects what it was sent': (response, { form }) =>
    json(response, 400, { error: 'invalid_request', error_description: form.toString() }),
  'says no client': (response) => {
    response.setHeader('www-authenticate', 'Basic realm="a"');
    json(response, 401, { error: 'invalid_client' });
  },
  'wants consent again': (response) => json(response, 400, { error: 'invalid_grant' }),
  'names an error in words of its own': (response) =>
    json(response, 400, { error: `no "such" thing\n${'x'.repeat(200)}` }),
} satisfies Record<string, Answer>;
export type Misbehaviour = keyof typeof misbehaviours;

/** Answers that bend the rules, as some servers' do. */
const oddities = {
  'gives a token for ever': { ...GOOD, expires_in: 1e300 },
  'gives a token in a form of its own': {
    ...GOOD,
    ...{ expires_in: '60', refresh_token: null, scope: ['read', 'write'] },
  },
  good: GOOD,
};

export type HostileProvider = {
  url: string;
  authUrl: string;
  tokenUrl: string;
  revocationUrl: string;
  mcpServerUrl: string;
  /** How the token and revocation endpoints answer. */
  behaves: Misbehaviour | keyof typeof oddities;
  /** Documents it publishes, by path. */
  documents: Record<string, unknown>;
  received: Received[];
  /**
   * The authorization response it sends a browser back with: parameters are replaced, undefined ones left
   * out.
   */
  response(authorizationUrl: string, changes?: Record<string, string | undefined>): URL;
};

/** An authorization server that does what one must not. */
export async function aHostileProvider(): Promise<HostileProvider> {
  const server = createServer((request, response) => {
    void receive(request).then((received) => answer(hostile, received, response));
  });
  const { url, close } = await onLoopback(server);
  onTestFinished(close);
  const hostile: HostileProvider = {
    url,
    authUrl: `${url}/auth`,
    tokenUrl: `${url}/token`,
    revocationUrl: `${url}/revoke`,
    mcpServerUrl: `${url}/mcp`,
    behaves: 'good',
    documents: {},
    received: [],
    response(authorizationUrl, changes = {}) {
      const asked = new URL(authorizationUrl).searchParams;
      const back = new URL(asked.get('redirect_uri') ?? '');
      const usual = { code: 'a-code', state: asked.get('state') ?? undefined, iss: url };
      for (const [name, value] of Object.entries({ ...usual, ...changes }))
        if (value !== undefined) back.searchParams.set(name, value);
      return back;
    },
  };
  return hostile;
}

async function receive(request: IncomingMessage): Promise<Received> {
  const { method = '', url = '/', headers } = request;
  const form = new URLSearchParams(await bodyOf(request));
  return { method, path: new URL(url, 'http://h').pathname, headers, form };
}

const isOdd = (behaves: string): behaves is keyof typeof oddities => behaves in oddities;

function answer(hostile: HostileProvider, received: Received, response: ServerResponse): void {
  hostile.received.push(received);
  const { path } = received;
  const document = hostile.documents[path];
  if (document !== undefined) json(response, 200, document);
  else if (path !== '/token' && path !== '/revoke') json(response, 404, {});
  else if (isOdd(hostile.behaves)) json(response, 200, oddities[hostile.behaves]);
  else {
    const misbehave: Answer = misbehaviours[hostile.behaves];
    misbehave(response, received);
  }
}
