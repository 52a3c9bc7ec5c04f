import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { explain, Obstacle } from '../../../lib/cli/explain.ts';
import { refuse } from '../../../lib/contract/errors.ts';
import { onLoopback } from '../../support/http/loopback-server.ts';
import { commandLine } from '../../support/programs/command-line.ts';

/** Runs a command line where no table can be opened. */
const run = (line: string, error: Error) => {
  const fail = () => {
    throw error;
  };
  return commandLine(line.split(' '), { open: async () => fail(), functionsOf: fail });
};

describe('the exit code', () => {
  it('is 0 for help, which goes to standard output', async () => {
    const { code, out, err } = await run('admin bootstrap --help', new Error('not asked'));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/--organization NAME/);
  });

  it('is 2 for wrong arguments, with the usage', async () => {
    const { code, out, err } = await run('admin bootstrap --nope', new Error('not asked'));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/--nope[^]*Usage: npm run slipway/);
  });

  it('is 1 for a failure, said in one line', async () => {
    const found = await run(
      'admin bootstrap --second-tenant --data-dir x',
      new Obstacle('Slipway does not run on x.'),
    );
    expect(found).toEqual({ code: 1, out: '', err: 'Slipway does not run on x.' });
  });
});

const named = (name: string, message = 'arn:aws:iam::123456789012:user/x') =>
  Object.assign(new Error(message), { name });
const deployed = { kind: 'deployed', tableName: 'the-table', region: 'eu-west-1' } as const;

describe('a failure', () => {
  it.each([
    [named('CredentialsProviderError'), /No AWS credentials were found.*AWS_PROFILE/],
    [named('ExpiredTokenException'), /have expired/],
    [named('UnrecognizedClientException'), /does not know these credentials/],
    [named('ResourceNotFoundException'), /no table 'the-table' in eu-west-1.*TableName/],
    [named('AccessDeniedException'), /dynamodb:PutItem/],
    [named('ValidationException'), /'the-table' is not the table of a Slipway/],
    [named('Error', 'Region is missing'), /--region REGION/],
    [Object.assign(named('Error'), { code: 'ENOTFOUND' }), /does not answer: ENOTFOUND/],
    [refuse('listener_not_found', { id: 'abc' }), /^Listener ID abc not found\.$/],
  ])('%s is told in plain words', (error, words) => {
    expect(explain(error, deployed)).toMatch(words);
    expect(explain(error, deployed)).not.toMatch(/arn:|\n/);
  });

  it('that nobody has foreseen keeps its stack', () => {
    expect(explain(new TypeError('x is not a function'), deployed)).toMatch(/TypeError[^]* at /);
  });
});

async function anApi(answer: RequestListener): Promise<{ url: string }> {
  const server = await onLoopback(createServer(answer));
  onTestFinished(server.close);
  return server;
}

describe('console', () => {
  it('prints a link made with the key of npm start, or with that of the environment', async () => {
    const asked: unknown[] = [];
    const server = await anApi((request, response) => {
      asked.push([request.method, request.url, request.headers['x-api-key']]);
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ url: 'http://a/console/#code=c', expires_at: 'soon' }));
    });
    const accessTo = async () => ({ url: server.url, apiKey: 'local key' });
    const local = await commandLine(['console', '--data-dir', 'x'], { accessTo });
    expect(local).toMatchObject({ code: 0, out: 'Console  http://a/console/#code=c' });
    const environment = { SLIPWAY_API_KEY: 'own key' };
    const remote = await commandLine(['console', '--url', server.url, '--json'], { environment });
    expect(JSON.parse(remote.out)).toEqual({ url: 'http://a/console/#code=c', expires_at: 'soon' });
    expect(asked).toEqual([
      ['POST', '/v2/console-links', 'local key'],
      ['POST', '/v2/console-links', 'own key'],
    ]);
  });

  it('says what is missing, and what the API said', async () => {
    const refused = async (line: string) => (await commandLine(line.split(' '), {})).err;
    expect(await refused('console --url https://a.example')).toContain('SLIPWAY_API_KEY');
    expect(await refused('console --table a.b')).toMatch(/^console takes --url/);
    const server = await anApi((_, response) => {
      response.writeHead(401).end('{"detail":"Invalid or missing credentials"}');
    });
    const accessTo = async () => ({ url: server.url, apiKey: 'k' });
    const { code, err } = await commandLine(['console', '--data-dir', 'x'], { accessTo });
    expect([code, err]).toEqual([1, 'Invalid or missing credentials']);
  });
});
