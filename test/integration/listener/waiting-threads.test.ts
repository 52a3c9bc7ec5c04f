import { describe, expect, it } from 'vitest';
import type { DeploySpec } from '../../../lib/features/listener-protocol/shape.ts';
import { completionOf, specOf, tarballOf } from './listener-program.ts';
import { sharedListener } from './shared-listener.ts';

type Pretended = { name: string; nodes: string[]; waitsAt?: string[]; status?: number };

/** A server that answers as an agent server does, with one waiting thread for each of these nodes. */
const agent = (pretended: Pretended): Promise<Buffer> =>
  tarballOf({
    'package.json': '{"scripts":{"start":"node main.cjs"}}',
    'main.cjs': `
      const { name, nodes, waitsAt = [], status = 200 } = ${JSON.stringify(pretended)};
      require('http').createServer((request, response) => {
        const chunks = [];
        request.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
          const asked = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks)) : {};
          const [, index] = /^\\/threads\\/(\\d+)\\/state/.exec(request.url) ?? [];
          const threads = waitsAt.map((_, at) => ({ thread_id: String(at), metadata: { graph_id: 'agent' } }));
          const answer =
            request.url === '/threads/search' ? (asked.status === 'interrupted' ? threads : []) :
            index !== undefined ? { next: [waitsAt[index]], tasks: [] } :
            request.url.startsWith('/assistants/agent/graph') ? { nodes: nodes.map((id) => ({ id })) } : name;
          response.writeHead(request.url === '/threads/search' ? status : 200).end(JSON.stringify(answer));
        });
      }).listen(process.env.PORT, process.env.HOST);`,
  });

describe('threads that wait when the next revision comes', () => {
  const shared = sharedListener();
  let epoch = 1;
  const release = async (tarball: Buffer, rest: Partial<DeploySpec>) => {
    const { controlPlane, program } = shared();
    const spec = specOf(controlPlane, controlPlane.addArtifact(tarball), {
      runtime: 'dev',
      epoch: (epoch += 10),
      ...rest,
    });
    const taskId = controlPlane.offerDeploy(spec);
    const completed = await completionOf(controlPlane, taskId);
    const said = controlPlane.taskLinesOf(taskId).map(({ message, level }) => `${level} ${message}`);
    const serving: unknown = await (await fetch(program.url(spec.deployment_name))).json();
    return { spec, completed, said, serving };
  };
  const before = async (pretended: Omit<Pretended, 'name'>) => {
    const first = await release(await agent({ name: 'one', ...pretended }), {});
    // Nothing is replaced by the first.
    expect(first.completed).toMatchObject({ outcome: 'succeeded' });
    expect(first.completed).not.toHaveProperty('status_message');
    const { deployment_id, deployment_name } = first.spec;
    return { deployment_id, deployment_name };
  };
  const LOST = '2 threads wait at `approve`, which this revision has not.';

  it('are named in the deploy log and the status message where the next one lacks their node', async () => {
    const deployment = await before({ nodes: ['approve', 'send'], waitsAt: ['approve', 'send', 'approve'] });
    const { completed, said, serving } = await release(
      await agent({ name: 'two', nodes: ['confirm', 'send'] }),
      deployment,
    );
    expect(completed).toMatchObject({ outcome: 'succeeded', status_message: LOST });
    expect(said).toContain(`WARNING ${LOST}`);
    expect(serving).toBe('two');
  });

  it('refuse it before anything has moved, if they may, and are answered then', async () => {
    const deployment = await before({ nodes: ['approve'], waitsAt: ['approve', 'approve'] });
    const refusing = { ...deployment, on_release: { waiting: 'refuse' } } as const;
    const refused = await release(await agent({ name: 'two', nodes: ['confirm'] }), refusing);
    expect(refused.completed).toMatchObject({
      outcome: 'failed',
      previous_serving: true,
      status_message: expect.stringMatching(/^2 threads wait at `approve`.*Nothing was moved/),
    });
    expect(refused.serving).toBe('one');
    const taken = await release(await agent({ name: 'three', nodes: ['approve', 'confirm'] }), refusing);
    expect(taken.completed.outcome).toBe('succeeded');
    expect(taken.serving).toBe('three');
  });

  it('are not known where the agent asks for credentials: a line of the log, or a refusal', async () => {
    const deployment = await before({ nodes: ['approve'], waitsAt: ['approve'], status: 401 });
    const two = await agent({ name: 'two', nodes: [] });
    const refused = await release(two, { ...deployment, on_release: { waiting: 'refuse' } });
    expect(refused.completed.status_message).toMatch(/not known: the agent asks for credentials of its own/);
    expect(refused.serving).toBe('one');
    const warned = await release(two, deployment);
    expect(warned.completed).toMatchObject({ outcome: 'succeeded' });
    expect(warned.completed).not.toHaveProperty('status_message');
    expect(warned.said.join('\n')).toMatch(/WARNING Whether threads wait .* is not known/);
  });

  it.each<Partial<DeploySpec>>([
    { on_release: { waiting: 'move' } },
    { runtime: 'command' },
    { runtime: null },
  ])('are not asked for with %j', async (rest) => {
    const deployment = await before({ nodes: ['approve'], waitsAt: ['approve'] });
    const { completed, said } = await release(await agent({ name: 'two', nodes: [] }), {
      ...deployment,
      ...rest,
    });
    expect(completed.outcome).toBe('succeeded');
    expect(said.join('\n')).not.toMatch(/threads? wait/);
  });
});
