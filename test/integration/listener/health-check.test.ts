import { describe, expect, it } from 'vitest';
import type { DeploySpec } from '../../../lib/features/listener-protocol/shape.ts';
import { completionOf, scriptTarball, specOf } from './listener-program.ts';
import { sharedListener } from './shared-listener.ts';

/** Answers 503 at /ready at first, then leads elsewhere; 500 at all other paths. It writes an access log. */
const SERVER = `const start = Date.now();
require('http').createServer((request, response) => {
  const isReady = Date.now() - start > 300;
  response.statusCode = request.url === '/ready?deep=1' ? (isReady ? 302 : 503) : 500;
  response.setHeader('location', 'http://192.0.2.1/');
  response.end();
  console.log('"GET /d/x' + request.url + ' HTTP/1.1" ' + response.statusCode);
}).listen(process.env.PORT, process.env.HOST, () => console.log('it listens; GET /stocks/ fails'))`;

describe('the health_check of a deployment', () => {
  const shared = sharedListener();
  const run = async (rest: Partial<DeploySpec>) => {
    const { controlPlane } = shared();
    const artifact = controlPlane.addArtifact(await scriptTarball(SERVER));
    const taskId = controlPlane.offerDeploy(specOf(controlPlane, artifact, rest));
    const completed = await completionOf(controlPlane, taskId);
    return { completed, said: controlPlane.taskLinesOf(taskId).map(({ message }) => message) };
  };

  it('is asked instead of /ok, and a redirect is an answer that is not followed', async () => {
    const { completed, said } = await run({ health_check: { path: '/ready?deep=1' } });
    expect(completed.outcome).toBe('succeeded');
    expect(said.join('\n')).not.toContain('taken for ready');
  });

  it('fails a server that does not answer well within timeout_seconds, without our questions in what it quotes', async () => {
    for (const path of ['/nowhere', '/']) {
      const environment = [{ name: 'UVICORN_ROOT_PATH', value: '/d/x' }];
      const { completed } = await run({ health_check: { path, timeout_seconds: 2 }, environment });
      expect(completed.status_message).toBe(
        `The server was not ready within 2 s: GET ${path} answers 500. Its last lines of output:\nit listens; GET /stocks/ fails`,
      );
    }
  });

  it('may say how long /ok is waited for', async () => {
    const { completed } = await run({ health_check: { timeout_seconds: 2 } });
    expect(completed.status_message).toMatch(/^The server was not ready within 2 s: GET \/ok answers 500\./);
  });
});

describe('the start_command of a deployment', () => {
  const shared = sharedListener();

  it('is run by a shell with PORT and HOST, whatever the project says', async () => {
    const { controlPlane, program } = shared();
    const artifact = controlPlane.addArtifact(await scriptTarball('process.exit(1)'));
    const server =
      'require(`http`).createServer((q, s) => s.end(process.env.A)).listen(+process.argv[1], process.argv[2])';
    const start_command = `A="b c"; export A; exec node -e '${server}' "$PORT" $HOST`;
    const spec = specOf(controlPlane, artifact, { start_command });
    const completed = await completionOf(controlPlane, controlPlane.offerDeploy(spec));
    expect(completed).toMatchObject({ outcome: 'succeeded' });
    expect(await (await fetch(program.url(spec.deployment_name))).text()).toBe('b c');
  });

  it('starts an agent, which is ready by /ok alone', async () => {
    const { controlPlane } = shared();
    const script =
      "require('http').createServer((q, s) => { s.statusCode = 404; s.end(); }).listen(process.env.PORT)";
    const artifact = controlPlane.addArtifact(await scriptTarball(script));
    const own = {
      server: 'langgraph',
      start_command: 'npm start',
      health_check: { timeout_seconds: 2 },
    } as const;
    const completed = await completionOf(
      controlPlane,
      controlPlane.offerDeploy(specOf(controlPlane, artifact, own)),
    );
    expect(completed.status_message).toMatch(/^The server was not ready within 2 s: GET \/ok answers 404\./);
  });
});
