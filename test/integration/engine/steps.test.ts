import { describe, expect, it } from 'vitest';
import { create as createBuild } from '../../../functions/tasks/revision/build.ts';
import { create as createDeploy } from '../../../functions/tasks/revision/deploy.ts';
import { create as createFinish } from '../../../functions/tasks/revision/finish.ts';
import { create as createPrepare } from '../../../functions/tasks/revision/prepare.ts';
import type { Images } from '../../../lib/adapters/images.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import type { RevisionStatus } from '../../../lib/contract/revision-status.ts';
import type { Deps } from '../../../lib/core/deps.ts';
import { getRevisionItem } from '../../../lib/core/items/revisions.ts';
import { documentClient } from '../../../lib/embedded/dynoxide/client.ts';
import { remove } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { tokenKey } from '../../../lib/store/keys/index.ts';
import { dynamoDbEndpoint } from '../../support/table/dynoxide.ts';
import { limited } from '../../support/table/limited-table.ts';
import { interruptedAt } from '../../support/table/stepwise.ts';
import { ended, inProgress } from '../../support/world/processed.ts';
import { github, interrupt, post, register } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

/** The functions of the states, each with the access of its row. */
const statesOf = (deps: Deps) => ({
  prepare: createPrepare(() => limited(deps, functionRows.prepare.access)),
  build: createBuild(() => limited(deps, functionRows.build.access)),
  deploy: createDeploy(() => limited(deps, functionRows.deploy.access)),
  finish: createFinish(() => limited(deps, functionRows.finish.access)),
});

/** What a state is given of a revision. */
const inputOf = ({ caller }: World, deploymentId: string, revisionId: string) => ({
  ...{ tenantId: caller.tenantId, deploymentId, revisionId },
  ...{ attempt: 1, token: 'the-token', retry: 0 },
});

/** A world with a revision in the slot. */
async function processing(status?: RevisionStatus, listener: object = {}) {
  const world = await aWorld();
  await register(world, 'machine', listener);
  const { id, latest_revision_id } = await post(world, github('a'));
  if (status !== undefined) await inProgress(world, id, status);
  return { world, id, input: inputOf(world, id, latest_revision_id) };
}

const refused = { name: 'StepRefused' };

describe('the last state', () => {
  it('stops a build that an interrupt did not meet, before the next revision may build', async () => {
    const { world, id, input } = await processing('AWAITING_BUILD');
    const { build, finish } = statesOf(world.deps);
    await build(input);
    // As after a wait for a builder, in which nothing waits for a token.
    await transact(world.deps.table, [remove('token', tokenKey(input.tenantId, id, 1))]);
    await interrupt(world, id, input.revisionId);

    await finish({ ...input, error: { Error: 'StepRefused' } });

    expect(world.deps.builds).toMatchObject({ stopped: [`build-${input.revisionId}`] });
    expect(await getRevisionItem(world.deps.table, input)).toMatchObject({ status: 'INTERRUPTED' });
  });
});

describe('a state that nobody wants any more', () => {
  it('is refused when there is no such revision', async () => {
    const { world, input } = await processing();
    const { prepare, build, deploy } = statesOf(world.deps);
    const gone = { ...input, revisionId: world.deps.clock.orderedId() };
    for (const state of [prepare, build, deploy]) await expect(state(gone)).rejects.toMatchObject(refused);
  });

  it('is refused when the revision has ended; to finish it once more changes nothing', async () => {
    const { world, id, input } = await processing();
    await interrupt(world, id, input.revisionId);
    const { prepare, build, deploy, finish } = statesOf(world.deps);
    for (const state of [prepare, build, deploy]) await expect(state(input)).rejects.toMatchObject(refused);
    await expect(finish(input)).resolves.toBeUndefined();
    expect(world.deps.builds).toMatchObject({ jobs: new Map() });
  });

  it.each([
    // Once it is known which way to go, the state only tells the host of the commit.
    ['prepare', 'QUEUED', ['StepRefused', 'made']],
    ['build', 'AWAITING_BUILD', ['StepRefused']],
    // Once the token is kept, the interrupt ends the wait for the listener.
    ['deploy', 'BUILDING', ['StepRefused', 'made']],
  ] as const)(
    'is refused once an interrupt has come, at whatever moment of %s',
    async (name, status, expected) => {
      const seen: string[] = [];
      for (let at = 0, calls = Infinity; at < calls; at++) {
        const { world, id, input } = await processing(status);
        let isInterrupted = false;
        const act = () => {
          isInterrupted = true;
          return interrupt(world, id, input.revisionId);
        };
        const interrupted = interruptedAt(world.deps, at, act);
        const { [name]: state } = statesOf(interrupted.deps);
        const ends = state(input).then(
          () => 'made',
          (error: unknown) => (error instanceof Error ? error.name : String(error)),
        );
        const end = await ends;
        // A refusal makes one call more than a step that nobody interrupts.
        if (isInterrupted) seen.push(end);
        calls = interrupted.calls();
      }
      expect([...new Set(seen)]).toEqual(expected);
    },
  );
});

describe('the build of a cluster', () => {
  it.each([
    [{}, []],
    [{ platforms: ['linux/amd64', 'linux/arm64'] }, ['linux/amd64', 'linux/arm64']],
  ])('is an image for the platforms of its listener: %j', async (config, platforms) => {
    const listener = { compute_type: 'k8s', compute_config: { k8s_namespaces: ['default'], ...config } };
    const { world, input } = await processing('AWAITING_BUILD', listener);
    await statesOf(world.deps).build(input);
    const { builds } = world.deps;
    expect([...builds.jobs.values()]).toMatchObject([{ output: 'image', platforms }]);
  });
});

describe('the image of a revision', () => {
  const uri = 'registry.example/slipway/a@sha256:b';
  async function finished(how: 'DEPLOYED' | 'DEPLOY_FAILED', hold: Images['hold']) {
    const { world, id, input } = await processing();
    await ended(world, id, how, { artifact: { kind: 'image', uri } });
    const deps = { ...world.deps, images: { ...world.deps.images, hold } };
    await statesOf(deps).finish(input);
  }

  it('is kept by the registry once it is deployed, and only then', async () => {
    const held: string[] = [];
    const hold: Images['hold'] = async (_, image) => void held.push(image);
    await finished('DEPLOY_FAILED', hold);
    expect(held).toEqual([]);
    await finished('DEPLOYED', hold);
    expect(held).toEqual([uri]);
  });

  it('is deployed though the registry does not answer', async () => {
    await expect(finished('DEPLOYED', () => Promise.reject(new Error('down')))).resolves.toBeUndefined();
  });
});

it('a state that meets a busy table is tried again by the state machine, one that meets a fault is not', async () => {
  const { world, input } = await processing('BUILDING');
  const withClient = (error: Error) => {
    const client = documentClient(dynamoDbEndpoint());
    client.send = async () => {
      throw error;
    };
    return statesOf({ ...world.deps, table: { ...world.deps.table, client } });
  };
  const busy = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
  await expect(withClient(busy).finish(input)).rejects.toMatchObject({ name: 'Transient' });
  await expect(withClient(new TypeError('down')).finish(input)).rejects.toMatchObject({ name: 'TypeError' });
});
