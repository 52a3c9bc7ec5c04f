/** A write of the store, as its client is given it. */
type Command = { name: string; input: unknown };
/** A place on a revision's way where the program is killed: the write that takes the revision there. */
export type Point = { name: string; isAt: (write: string) => boolean };

const moves = (status: string) => (write: string) => write.includes(`{"status":"${status}","at":`);
const sets = (attribute: string) => (write: string) => write.includes(`#${attribute} = `);
const records = (stage: string) => (write: string) =>
  new RegExp(`"stage":"${stage}",("epoch":\\d+,)?"result":"succeeded"`).test(write);
const puts = (entity: string) => (write: string) => write.includes(`"entity":"${entity}"`);

/** In the order of a revision's way. */
export const points: readonly Point[] = [
  { name: 'the request is written', isAt: puts('revision') },
  { name: 'the slot is taken', isAt: sets('slot') },
  { name: 'AWAITING_BUILD', isAt: moves('AWAITING_BUILD') },
  { name: 'the build is noted', isAt: sets('build_id') },
  { name: 'BUILDING', isAt: moves('BUILDING') },
  { name: "the build's outcome is noted", isAt: records('build') },
  { name: 'AWAITING_DEPLOY', isAt: moves('AWAITING_DEPLOY') },
  { name: 'the task is offered', isAt: puts('task') },
  { name: 'the task is claimed', isAt: moves('DEPLOYING') },
  { name: 'the switch is granted', isAt: sets('switching') },
  { name: "the deploy's outcome is noted", isAt: records('deploy') },
  { name: 'DEPLOYED', isAt: moves('DEPLOYED') },
];

/**
 * What the program is told by a file: to kill itself once, at this point, before the write is sent or so long
 * after its answer.
 */
export type Order = { point: string; when: 'before' | 'after'; afterMs: number };

export function isAt(point: string, { name, input }: Command): boolean {
  const isWrite = /^(?:Put|Update|TransactWrite)/.test(name);
  return isWrite && points.find((one) => one.name === point)?.isAt(JSON.stringify(input)) === true;
}
