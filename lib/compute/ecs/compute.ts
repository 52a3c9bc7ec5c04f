import { agentAddress } from '../../contract/agent-front.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import type { AgentFailure } from '../../domain/agent-failure.ts';
import { mainOf, type Traffic } from '../../domain/rollout.ts';
import type { Agent, ManagedCompute, NewServers } from '../managed.ts';
import { ComputeBusy, type SetNote } from '../port.ts';
import { type Aws, isNamed, openAws, portErrorOf } from './clients.ts';
import { failureInAccount } from './failures.ts';
import { type Account, type AccountSet, foundInAccount, isThere, quotasOf, survey } from './look.ts';
import { serviceName, tags } from './names.ts';
import type { EcsOptions } from './options.ts';
import { deleteVariables, itemsOf, storeVariables } from './secret-items.ts';
import * as service from './service.ts';
import { type Size, sizeFor, sizeNote } from './sizes.ts';
import * as target from './target.ts';

/**
 * Fargate behind the balancer that all agents share: one service, target group and trial rule a set, and one
 * rule a deployment that sends its requests.
 */
export function createEcsCompute(options: EcsOptions): ManagedCompute {
  const aws = openAws(options);
  const said = <T>(call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      throw portErrorOf(error);
    });
  return (agent) => {
    const saidOf = <T>(key: string, call: Promise<T>): Promise<T> =>
      said(call.catch((error: unknown) => orGone(aws, { place: agent, key }, error)));
    return {
      look: () => said(survey(aws, agent).then(foundInAccount)),
      failureOf: (key) => said(failureOf(aws, agent, key)),
      create: async (set, say) => {
        const note = await said(create(aws, agent, set));
        if (note !== undefined) await say(note);
      },
      scale: (key, wanted) => said(service.setDesired(aws, serviceName(agent, key), wanted)),
      revive: (key, wanted, note) => saidOf(key, revive(aws, agent, { key, wanted, note })),
      move: (to, note) => saidOf(mainOf(to) ?? '', move(aws, agent, to, note)),
      retire: (key, at) => saidOf(key, retire(aws, agent, key, at)),
      remove: (key) => saidOf(key, remove(aws, agent, key)),
      stopTraffic: () =>
        said(survey(aws, agent).then(({ production }) => target.deleteRules(aws, production))),
      quotas: () => quotasOf(aws),
      address: () => agentAddress(agent, options),
    };
  };
}

async function setOf(aws: Aws, place: DeploymentRef, key: string): Promise<AccountSet | undefined> {
  return (await survey(aws, place)).sets.find((set) => set.key === key);
}

/**
 * What another run has deleted a moment ago carries no tags any more, by which the driver may change it: AWS
 * says then that it may not.
 */
async function orGone(
  aws: Aws,
  { place, key }: { place: DeploymentRef; key: string },
  error: unknown,
): Promise<never> {
  const isDenied = isNamed(error, 'AccessDenied', 'AccessDeniedException');
  if (isDenied && (await setOf(aws, place, key)) === undefined)
    throw new ComputeBusy('Another run of the driver has removed the set.');
  throw error;
}

async function failureOf(aws: Aws, place: DeploymentRef, key: string): Promise<AgentFailure | undefined> {
  const set = await setOf(aws, place, key);
  return set && failureInAccount(aws, place, set);
}

/**
 * Makes what is missing of it, in an order in which each can be found again: the target group first. Gives a
 * line for the deploy log.
 */
async function create(aws: Aws, place: DeploymentRef, set: NewServers): Promise<string | undefined> {
  const size = sizeFor(set);
  const account = await survey(aws, place);
  const known = account.sets.find(({ key }) => key === set.key);
  if (known !== undefined && isLeaving(known)) throw new ComputeBusy(STILL_ENDING);
  const targetGroupArn = await target.ensureTargetGroup(aws, place, set, known);
  await complete(aws, place, set, { size, account, known, targetGroupArn }).catch((error: unknown) =>
    orGone(aws, { place, key: set.key }, error),
  );
  return sizeNote(set, size);
}

type Begun = { size: Size; account: Account; known: AccountSet | undefined; targetGroupArn: string };

/** What a set needs beside its target group. */
async function complete(
  aws: Aws,
  place: DeploymentRef,
  set: NewServers,
  { size, account, known, targetGroupArn }: Begun,
): Promise<void> {
  await target.setDeregistration(aws, targetGroupArn, set.graceMilliseconds / 1000);
  await target.ensureTrialRule(aws, targetGroupArn, { account, key: set.key });
  const make = async () => {
    const variables = await storeVariables(aws, place, set);
    const taskDefinition = await service.registerTaskDefinition(aws, place, set, { size, variables });
    await service.createService(aws, place, set, { taskDefinition, targetGroupArn });
  };
  const takeBack = async () => {
    const name = serviceName(place, set.key);
    await service.deleteService(aws, name);
    await service.deleteTaskDefinitions(aws, name);
    await deleteVariables(aws, place, { key: set.key, count: itemsOf(set.environment).length });
  };
  if (known?.service?.status !== 'ACTIVE') await orTakeBack(aws, { place, key: set.key }, make, takeBack);
  await letScale(aws, place, { ...set, targetGroupArn });
}

const isLeaving = (set: AccountSet): boolean => set.tags[tags.leaving] === 'true';
const STILL_ENDING = 'The set that ran this before still ends its servers.';

/**
 * Another run may remove the set while this one still makes it. What was made after that run had looked would
 * be found by nobody, for it is found by the target group: it is taken back.
 */
async function orTakeBack(
  aws: Aws,
  { place, key }: { place: DeploymentRef; key: string },
  make: () => Promise<void>,
  takeBack: () => Promise<void>,
): Promise<void> {
  const [made] = await Promise.allSettled([make()]);
  const now = await setOf(aws, place, key);
  if (now === undefined || isLeaving(now)) {
    await takeBack();
    throw new ComputeBusy('Another run of the driver has removed what this one was making.');
  }
  if (made.status === 'rejected') throw made.reason;
}

type Scaled = { key: string; targetGroupArn: string; min: number; max: number };

/** A scaler stays when its service goes, so one that comes too late is taken back as well. */
async function letScale(
  aws: Aws,
  place: DeploymentRef,
  { key, targetGroupArn, min, max }: Scaled,
): Promise<void> {
  if (max <= min) return;
  const name = serviceName(place, key);
  const make = () => service.letScale(aws, name, { min, max });
  await orTakeBack(aws, { place, key }, make, () => service.freezeScale(aws, name));
  await target.note(aws, targetGroupArn, { [tags.scaled]: 'true' });
}

type Revival = { key: string; wanted: number; note: SetNote };

async function revive(aws: Aws, place: DeploymentRef, { key, wanted, note }: Revival): Promise<void> {
  const set = await setOf(aws, place, key);
  if (set === undefined) return;
  await service.setDesired(aws, serviceName(place, key), wanted);
  const [min, max] = [Number(set.tags[tags.min] ?? 1), Number(set.tags[tags.max] ?? 1)];
  await letScale(aws, place, { key, targetGroupArn: set.targetGroupArn, min, max });
  // Last: until then it is revived again.
  await target.note(aws, set.targetGroupArn, { [tags.retiredAt]: undefined, ...revisionOf(note) });
}

const revisionOf = ({ revisionId }: SetNote) =>
  revisionId === undefined ? {} : { [tags.revision]: revisionId };

async function move(aws: Aws, agent: Agent, to: Traffic, note: SetNote): Promise<void> {
  const account = await survey(aws, agent);
  const set = account.sets.find(({ key }) => key === mainOf(to));
  if (set === undefined) return;
  await target.note(aws, set.targetGroupArn, { [tags.served]: 'true', ...revisionOf(note) });
  await target.sendTraffic(aws, set.targetGroupArn, { account, agent });
}

/** Its scaler first: what drains does little, and would be ended for that. */
async function retire(aws: Aws, place: DeploymentRef, key: string, at: number): Promise<void> {
  const set = await setOf(aws, place, key);
  if (set === undefined) return;
  if (set.tags[tags.scaled] !== undefined)
    await target.note(aws, set.targetGroupArn, { [tags.scaled]: undefined });
  await service.freezeScale(aws, serviceName(place, key));
  await target.note(aws, set.targetGroupArn, { [tags.retiredAt]: String(at) });
}

/** Its servers have had their grace when their set is removed. */
const LAST_SECONDS = 5;

/** Its servers end first; while they do, its target group must stay, or what they still answer is cut off. */
async function remove(aws: Aws, place: DeploymentRef, key: string): Promise<'done' | 'later'> {
  const { sets, traffic } = await survey(aws, place);
  const set = sets.find((one) => one.key === key);
  if (set === undefined) return 'done';
  if (traffic === key) throw new ComputeBusy('The set has got the traffic meanwhile.');
  const name = serviceName(place, key);
  const isNoted = isLeaving(set);
  if (!isNoted) await target.note(aws, set.targetGroupArn, { [tags.leaving]: 'true' });
  if (set.service !== undefined) {
    await service.freezeScale(aws, name);
    if (set.service.status === 'ACTIVE') {
      await target.setDeregistration(aws, set.targetGroupArn, LAST_SECONDS);
      await service.deleteService(aws, name);
    }
    return 'later';
  }
  // Whoever is still making it sees the note; and without a rule no service can be made.
  if (!isNoted) return 'later';
  await target.deleteRules(aws, set.rules);
  if (await isThere(aws, name)) return 'later';
  await service.deleteTaskDefinitions(aws, name);
  await deleteVariables(aws, place, { key, count: Number(set.tags[tags.secrets] ?? 1) });
  await target.deleteTargetGroup(aws, set.targetGroupArn);
  return 'done';
}
