import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { transitions } from '../../../lib/domain/transitions.ts';
import { allObjects } from '../../support/kubernetes/all-objects.ts';
import { renderContext, serverSpec } from '../../support/kubernetes/specs.ts';
import { pictures } from '../../support/pictures/all.ts';
import { cluster } from '../../support/pictures/cluster.ts';
import { draw } from '../../support/pictures/draw.ts';
import { bill } from '../../support/pictures/fargate.ts';
import { flawsOf } from '../../support/pictures/flaws.ts';
import { shownTransitions } from '../../support/pictures/revision-path.ts';
import { arrow, box, label, type Shape } from '../../support/pictures/shapes.ts';

const root = new URL('../../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');
const pages = ['README.md', ...globSync(['docs/*.md', 'statemachines/*.md'], { cwd: root })].map(read);

describe.each(pictures)('the picture $name', (picture) => {
  const file = `docs/pictures/${picture.name}.svg`;

  it('is what its data draws; `npm run docs` draws it', () => {
    const drawn = draw(picture);
    if (process.env.UPDATE_DOCS !== undefined) writeFileSync(new URL(file, root), drawn);
    expect(read(file)).toBe(drawn);
  });

  it('has nothing that lies on something else', () => {
    expect(flawsOf(picture)).toEqual([]);
  });

  it('is on a page, with words for who cannot see it', () => {
    const shown = new RegExp(`!\\[[^\\]]{20,}\\]\\([./a-z]*pictures/${picture.name}\\.svg\\)`);
    expect(pages.filter((page) => shown.test(page)).length).toBeGreaterThan(0);
    expect(picture.description.length).toBeGreaterThan(100);
  });
});

it('no picture is left from an earlier time', () => {
  const drawn = globSync('docs/pictures/*.svg', { cwd: root });
  expect(drawn.toSorted()).toEqual(pictures.map(({ name }) => `docs/pictures/${name}.svg`).toSorted());
});

it('the path of a revision has the transitions that the engine allows, and no other', () => {
  const allowed = Object.entries(transitions).flatMap(([from, next]) => next.map((to) => `${from} ${to}`));
  const shown = shownTransitions().map((each) => each.join(' '));
  expect(shown.toSorted()).toEqual(allowed.toSorted());
});

it('what an agent on Fargate costs is what the page says, and adds up', () => {
  const page = read('docs/fargate.md');
  const dollars = bill.map(([, each]) => each);
  expect(
    dollars.filter((each) => !page.includes(`| ${each} |`) && !page.includes(`| **${each}** |`)),
  ).toEqual([]);
  const cents = dollars.map((each) => Math.round(Number(each) * 100));
  const [balancer = 0, server = 0, address = 0, secret = 0, alarm = 0, first, further] = cents;
  expect(first).toBe(balancer + server + address + secret + alarm);
  expect(further).toBe(server + address + secret);
});

it('the objects in a cluster are the kinds that a deployment becomes there', () => {
  const spec = serverSpec({
    resource_spec: { min_scale: 2, max_scale: 4, queue_min_scale: 2, queue_max_scale: 4 },
    server: 'langgraph',
    queue: true,
  });
  const gateway = { name: 'public', namespace: 'gateways' };
  const context = renderContext({ computeConfig: { gateway, host_template: '{name}.example.com' } });
  const made = [...allObjects(spec, context)].map(([name, { kind }]) =>
    name.startsWith('trial') ? 'Service (trial)' : kind,
  );
  const drawn = cluster.shapes.flatMap((shape) =>
    shape.kind === 'box' && shape.mono === true ? [shape.title] : [],
  );
  const others = ['Lease', 'Redis', 'Postgres'];
  // Postgres is a StatefulSet: the picture has it by its name.
  expect(new Set(drawn.filter((kind) => !others.includes(kind)))).toEqual(
    new Set(made.filter((kind) => kind !== 'StatefulSet')),
  );
});

describe('a picture is refused', () => {
  const flawsAmong = (...shapes: Shape[]) =>
    flawsOf({ name: 'bad', title: 'Bad', description: 'Bad', height: 400, shapes });

  it.each<[string, Shape[], string]>([
    [
      'for a long title',
      [box([20, 20, 60, 40], 'Much too long')],
      '"Much too long" does not fit into its box',
    ],
    ['for words on words', [label([50, 50], 'one'), label([52, 52], 'two')], '"one" lies on "two"'],
    [
      'for words on a line',
      [
        label([50, 50], 'one'),
        arrow([
          [20, 48],
          [90, 48],
        ]),
      ],
      '"one" lies on an arrow from 20 48, 90 48',
    ],
    [
      'for lines that cross',
      [
        arrow([
          [20, 50],
          [90, 50],
        ]),
        arrow([
          [50, 20],
          [50, 90],
        ]),
      ],
      'an arrow from 20 50, 90 50 crosses an arrow from 50 20, 50 90',
    ],
    [
      'for a line through a box',
      [
        box([40, 20, 80, 60], 'Box'),
        arrow([
          [20, 70],
          [150, 70],
        ]),
      ],
      'an arrow from 20 70, 150 70 runs through Box',
    ],
    ['for words outside', [label([780, 50], 'outside')], '"outside" leaves the picture'],
    ['for boxes on boxes', [box([20, 20, 90, 40], 'One'), box([60, 30, 90, 80], 'Two')], 'One lies on Two'],
  ])('%s', (_, shapes, flaw) => {
    expect(flawsAmong(...shapes)).toContain(flaw);
  });
});
