import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noted } from '../../lib/compute/kubernetes/noted.ts';
import { annotations } from '../../lib/compute/kubernetes/render/names.ts';
import { api, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { EndpointWatch } from './endpoint-watch.ts';
import { atPoint, deployments, points, servingSet, setOf } from './points.ts';
import { type RunningListener, World } from './world.ts';

let world: World;
let listener: RunningListener;
let made: ShownDeployment;
const endpoints = new EndpointWatch();
const ends: string[] = [];

beforeAll(async () => {
  world = await World.open();
  await endpoints.start(world);
  listener = world.listen();
  made = await world.deploy('interrupted', 'example.test/agent:1');
  await world.deployed(made);
});

afterAll(async () => {
  endpoints.stop();
  await listener.stop();
  await world.close();
});

/** Sets that neither drain nor are gone. */
const liveSets = async () =>
  (await world.objectsOf(made.id, [deployments]))
    .filter((each) => noted(each, annotations.retiredAt) === undefined)
    .map(setOf);

const interrupt = ({ id, latest_revision_id: revision }: ShownDeployment) =>
  api(world.program, 'POST', `/v2/deployments/${id}/revisions/${revision}/interrupt`);

describe('an interrupt', () => {
  it('of a server that does not get ready takes back what was started', async () => {
    const before = await servingSet(world, made.id);
    const slow = await world.change(made.id, 'pretend.test/ready-after-ms-600000:1');
    await until(async () => (await liveSets()).length === 2, {
      what: 'the new set to be there',
    });
    const { status: answer } = await interrupt(slow);
    const { status } = await world.ended(slow);
    expect([answer, status]).toEqual([200, 'INTERRUPTED']);
    ends.push(`${answer} ${status}`);
    await until(async () => (await liveSets()).length === 1, {
      what: 'the new set to be gone',
    });
    expect(await servingSet(world, made.id)).toBe(before);
  });

  it.each(points)('when $at wins or comes too late, and either way one set serves', async (point) => {
    const before = await servingSet(world, made.id);
    const changing = Promise.withResolvers<ShownDeployment>();
    const asked = await atPoint(world, point, before, async () => interrupt(await changing.promise));
    // The work on it may begin before this is answered.
    const image = `example.test/agent:${point.kind.plural}-${points.indexOf(point)}`;
    const changed = await world.change(made.id, image);
    changing.resolve(changed);
    const { status: answer } = await asked.done;
    const { status } = await world.ended(changed);
    ends.push(`${answer} ${status}`);
    // Refused once traffic was announced to move, or the revision had ended.
    expect(['200 INTERRUPTED', '409 DEPLOYED']).toContain(`${answer} ${status}`);
    await until(async () => (await liveSets()).length === 1, {
      what: 'one set to be left',
    });
    const after = await servingSet(world, made.id);
    expect(await liveSets()).toEqual([after]);
    expect(after === before).toBe(status === 'INTERRUPTED');
  });

  it('has left no Service without endpoints, and was met both ways', () => {
    expect(endpoints.gaps).toEqual([]);
    expect(new Set(ends).size).toBe(2);
  });
});
