import { beforeEach, describe, expect, it } from 'vitest';
import type { Agent, ManagedCompute, NewServers } from '../../lib/compute/managed.ts';
import type { FoundSet, SetNote } from '../../lib/compute/port.ts';
import type { AgentFailure } from '../../lib/domain/agent-failure.ts';
import type { Traffic } from '../../lib/domain/rollout.ts';
import { aDrivenWorld, type DrivenWorld, imageOf, next, postImage } from '../support/world/driven-world.ts';
import { remove, show, showRevision } from '../support/world/requests.ts';
import { isGone, reaches } from '../support/world/steps.ts';

const BROKEN = imageOf('broken');
const failure: AgentFailure = { kind: 'exited', exitCode: 1, times: 3, output: ['boom'] };

type Servers = FoundSet & { image: string };

/** All that a kind of compute is: this one has a list of sets for each deployment, and runs nothing. */
class PretendedCompute implements ReturnType<ManagedCompute> {
  readonly agent: Agent;
  sets: Servers[] = [];
  traffic: Traffic = [];

  constructor(agent: Agent) {
    this.agent = agent;
  }

  async look() {
    return { sets: this.sets, traffic: this.traffic };
  }

  async failureOf(key: string) {
    return this.#set(key)?.image === BROKEN ? failure : undefined;
  }

  async create({ key, wanted, served, revisionId, image }: NewServers) {
    const ready = image === BROKEN ? 0 : wanted;
    const set = { key, wanted, ready, served, revisionId, image, retiredAt: undefined };
    this.sets = [...this.sets, { ...set, isWhole: true, isLeaving: false }];
  }

  async scale(key: string, wanted: number) {
    this.#change(key, { wanted, ready: wanted });
  }

  async revive(key: string, wanted: number, note: SetNote) {
    this.#change(key, { wanted, retiredAt: undefined, ...note });
  }

  async move(to: Traffic, note: SetNote) {
    for (const { set } of to) this.#change(set, { served: true, ...note });
    this.traffic = to;
  }

  async retire(key: string, retiredAt: number) {
    this.#change(key, { retiredAt });
  }

  async remove(key: string) {
    this.sets = this.sets.filter((set) => set.key !== key);
    return 'done' as const;
  }

  async stopTraffic() {
    this.traffic = [];
  }

  address() {
    return `https://${this.agent.name}.pretended.example`;
  }

  get images(): string[] {
    return this.sets.map(({ image }) => image);
  }

  get serving(): string | undefined {
    return this.#set(this.traffic[0]?.set)?.image;
  }

  #set = (key: string | undefined) => this.sets.find((set) => set.key === key);

  #change(key: string, to: Partial<Servers>) {
    this.sets = this.sets.map((set) => (set.key === key ? { ...set, ...to } : set));
  }
}

let world: DrivenWorld;
let made: Map<string, PretendedCompute>;

beforeEach(async () => {
  world = await aDrivenWorld();
  made = new Map();
  const compute: ManagedCompute = (agent) => {
    const known = made.get(agent.deploymentId) ?? new PretendedCompute(agent);
    made.set(agent.deploymentId, known);
    return known;
  };
  world.deps.computeDriver = { wake: ({ deploymentId }) => world.drive(deploymentId, { compute }) };
});

const computeOf = (id: string) => made.get(id) ?? expect.fail(`no compute was asked for ${id}`);

async function deployed(): Promise<string> {
  const { id, latest_revision_id: first } = await postImage(world, 'app');
  await reaches(world, id, first, 'DEPLOYED');
  return id;
}

describe('a compute of another kind', () => {
  it('runs what is deployed, and says where it answers', async () => {
    const id = await deployed();
    expect(computeOf(id).serving).toBe(imageOf('one'));
    expect(await show(world, id)).toMatchObject({
      status: 'READY',
      source_config: { custom_url: 'https://app.pretended.example' },
    });
  });

  it('moves to the next revision, and removes the one before after its grace', async () => {
    const id = await deployed();
    await reaches(world, id, await next(world, id, 'two'), 'DEPLOYED');
    expect(computeOf(id).serving).toBe(imageOf('two'));
    expect(computeOf(id).images).toEqual([imageOf('one'), imageOf('two')]);
    await world.sweepFor(300);
    expect(computeOf(id).images).toEqual([imageOf('two')]);
  });

  it('goes on with what served when a revision does not come up, which says why', async () => {
    const id = await deployed();
    const broken = await next(world, id, 'broken');
    await reaches(world, id, broken, 'DEPLOY_FAILED');
    expect((await showRevision(world, id, broken)).status_message).toContain('boom');
    await world.sweepFor(120);
    expect(computeOf(id).serving).toBe(imageOf('one'));
    expect(computeOf(id).images).toEqual([imageOf('one')]);
  });

  it('has nothing left of what was deleted', async () => {
    const id = await deployed();
    await remove(world, id);
    await isGone(world, id);
    expect(computeOf(id).images).toEqual([]);
    expect(computeOf(id).traffic).toEqual([]);
  });
});
