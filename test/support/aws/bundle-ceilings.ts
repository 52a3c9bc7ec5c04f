import { accessOf, clientsOf } from '../../bench/clients.ts';

/**
 * How many KiB a function's minified code may have, by the heaviest thing in it. A hundred more KiB are some
 * 16 ms of init: raise a ceiling only for something that is worth them.
 */
export const ceilingsKiB = {
  none: 149,
  /**
   * A create asks whether the operator of a cluster allows it, and whether a runtime fits its listener, and
   * notes by name who asked.
   */
  DynamoDB: 527,
  /** Sweep has the client of Lambda too, with which it wakes the function that delivers to webhooks. */
  S3: 788,
  /** It speaks git's own protocol, in JavaScript, and looks what the installation gives to servers. */
  prepare: 860,
  /** So does this, and it reads what git sends. */
  pushes: 750,
  /** It has the client of Lambda too, with which it wakes the function that looks at heads. */
  delivery: 525,
  /** It has the clients of ECS, the balancer, scaling, secrets and logs; nobody waits for it. */
  driver: 790,
  /** A deploy waits for it, and its client knows all of EC2. */
  network: 820,
};
/** Each fetches objects of git and unpacks them. */
const READERS_OF_GIT = new Set([
  'functions/schedules/heads.ts',
  ...['branches', 'look', 'source'].map((name) => `functions/api/repositories/${name}.ts`),
]);

export type CeilingGroup = keyof typeof ceilingsKiB;

/** Less than this is no function, but a file that was not bundled. */
const FLOOR_KIB = 10;

/** Functions of one group are held to the same ceiling. */
export function ceilingGroup(handler: string): CeilingGroup {
  if (handler === 'functions/tasks/revision/prepare.ts') return 'prepare';
  if (READERS_OF_GIT.has(handler)) return 'pushes';
  if (handler === 'functions/api/integrations/webhook.ts') return 'delivery';
  if (handler === 'functions/compute/drive.ts') return 'driver';
  if (handler === 'functions/compute/find-network.ts') return 'network';
  const clients = clientsOf(accessOf(handler));
  if (clients.includes('S3')) return 'S3';
  return clients === 'none' ? 'none' : 'DynamoDB';
}

/**
 * Those of the weighed functions that weigh more than their group may, or next to nothing, in words.
 * `weights`: bytes by handler.
 */
export function misweighed(weights: ReadonlyMap<string, number>): string[] {
  return [...weights].flatMap(([handler, sizeBytes]) => {
    const group = ceilingGroup(handler);
    const weight = sizeBytes / 1024;
    if (weight > FLOOR_KIB && weight <= ceilingsKiB[group]) return [];
    return [`${handler} weighs ${weight.toFixed(1)} KiB, ${group} at most ${ceilingsKiB[group]}`];
  });
}
