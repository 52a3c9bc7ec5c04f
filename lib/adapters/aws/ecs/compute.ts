import { agentPath } from '../../../contract/agent-front.ts';
import type { Compute, NewSet, Place } from '../../compute.ts';
import { type Aws, inWords, openAws } from './clients.ts';
import { failureOfSet } from './failures.ts';
import { foundIn, type Lying, survey } from './look.ts';
import { serviceName, tags } from './names.ts';
import type { EcsOptions } from './options.ts';
import { deleteVariables, storeVariables } from './secret-items.ts';
import * as service from './service.ts';
import { sizeFor, sizeNote } from './sizes.ts';
import * as target from './target.ts';

/**
 * Fargate behind the balancer that all agents share: one service, target group and trial rule a set, and one
 * rule a deployment that sends its requests.
 */
export function createEcsCompute(options: EcsOptions): Compute {
  const aws = openAws(options);
  const said = <T>(call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      throw inWords(error);
    });
  return {
    look: (place) => said(survey(aws, place).then(foundIn)),
    failureOf: (place, key) => said(failureOf(aws, place, key)),
    create: (place, set) => said(create(aws, place, set)),
    scale: (place, key, wanted) => said(service.setDesired(aws, serviceName(place, key), wanted)),
    revive: (place, key, wanted, note) => said(revive(aws, place, { key, wanted, note })),
    move: (place, key, to) => said(move(aws, place, key, to)),
    retire: (place, key, at) => said(retire(aws, place, key, at)),
    remove: (place, key) => said(remove(aws, place, key)),
    stopTraffic: (place) =>
      said(survey(aws, place).then(({ rule }) => target.deleteRule(aws, rule?.RuleArn))),
    address: (named) => `${options.baseUrl}${agentPath(named)}`,
  };
}

async function setOf(aws: Aws, place: Place, key: string): Promise<Lying | undefined> {
  return (await survey(aws, place)).sets.find((set) => set.key === key);
}

async function failureOf(aws: Aws, place: Place, key: string): ReturnType<Compute['failureOf']> {
  const set = await setOf(aws, place, key);
  return set && failureOfSet(aws, place, set);
}

/** What is missing of it, in an order in which each can be found again: the target group first. */
async function create(aws: Aws, place: Place, set: NewSet): Promise<string[]> {
  const size = sizeFor(set);
  const account = await survey(aws, place);
  const known = account.sets.find(({ key }) => key === set.key);
  const targetGroupArn = await target.ensureTargetGroup(aws, place, set, known);
  await target.setDeregistration(aws, targetGroupArn);
  await target.ensureTrialRule(aws, targetGroupArn, { account, key: set.key });
  if (known?.service?.status !== 'ACTIVE') {
    const variables = await storeVariables(aws, place, set);
    const taskDefinition = await service.registerTaskDefinition(aws, place, set, { size, variables });
    await service.createService(aws, place, set, { taskDefinition, targetGroupArn });
  }
  await service.letScale(aws, serviceName(place, set.key), set);
  return [sizeNote(set, size)].filter((line) => line !== undefined);
}

type Revival = { key: string; wanted: number; note: { revisionId?: string } };

async function revive(aws: Aws, place: Place, { key, wanted, note }: Revival): Promise<void> {
  const set = await setOf(aws, place, key);
  if (set === undefined) return;
  await target.note(aws, set.targetGroupArn, { [tags.retiredAt]: undefined, ...revisionOf(note) });
  await service.setDesired(aws, serviceName(place, key), wanted);
  const [min, max] = [Number(set.tags[tags.min] ?? 1), Number(set.tags[tags.max] ?? 1)];
  await service.letScale(aws, serviceName(place, key), { min, max });
}

const revisionOf = ({ revisionId }: { revisionId?: string }) =>
  revisionId === undefined ? {} : { [tags.revision]: revisionId };

async function move(
  aws: Aws,
  place: Place,
  key: string,
  { name, ...note }: { name: string; revisionId?: string },
): Promise<void> {
  const account = await survey(aws, place);
  const set = account.sets.find((one) => one.key === key);
  if (set === undefined) return;
  await target.note(aws, set.targetGroupArn, { [tags.served]: 'true', ...revisionOf(note) });
  await target.sendTraffic(aws, set.targetGroupArn, { account, place, name });
}

/** Its scaler first: what drains does little, and would be ended for that. */
async function retire(aws: Aws, place: Place, key: string, at: number): Promise<void> {
  const set = await setOf(aws, place, key);
  if (set === undefined) return;
  await service.freezeScale(aws, serviceName(place, key));
  await target.note(aws, set.targetGroupArn, { [tags.retiredAt]: String(at) });
}

/** Its servers end first; while they do, its target group must stay, or what they still answer is cut off. */
async function remove(aws: Aws, place: Place, key: string): Promise<'done' | 'later'> {
  const set = await setOf(aws, place, key);
  if (set === undefined) return 'done';
  const name = serviceName(place, key);
  if (set.tags[tags.leaving] !== 'true')
    await target.note(aws, set.targetGroupArn, { [tags.leaving]: 'true' });
  if (set.service !== undefined) {
    await service.freezeScale(aws, name);
    if (set.service.status === 'ACTIVE') await service.deleteService(aws, name);
    return 'later';
  }
  await service.deleteTaskDefinitions(aws, name);
  await deleteVariables(aws, place, { key, count: Number(set.tags[tags.secrets] ?? 1) });
  await target.deleteRule(aws, set.trialRule?.RuleArn);
  await target.deleteTargetGroup(aws, set.targetGroupArn);
  return 'done';
}
