import {
  judgeRelease,
  nodesUnknown,
  type ReleaseFinding,
  releaseRuleOf,
} from '../../domain/release-check.ts';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import type { DeployHooks } from '../../listener/driver.ts';
import { type AskServer, checkRelease } from '../release-check.ts';
import { askAt } from '../server-asker.ts';
import { isDurable } from './durable.ts';
import { lossAt } from './internal-calls.ts';
import type { Server } from './server.ts';

/** Throws when the release is refused. Otherwise gives what a person should know although it goes on. */
export async function checkBeforeSwitch(
  /** What serves; `isDown`: something served before, and is not there now. */
  before: { server: Server | undefined; isDown: boolean },
  next: Server,
  spec: Pick<DeploySpec, 'on_release' | 'runtime'>,
  { say, signal }: Pick<DeployHooks, 'say' | 'signal'>,
): Promise<string | undefined> {
  const rule = releaseRuleOf(spec.on_release, spec.runtime);
  const isFirst = before.server === undefined && !before.isDown;
  if (isFirst || rule === 'move' || rule === 'pin') return undefined;
  const finding = isDurable(spec)
    ? await durableFinding(next)
    : await findingOf(before.server, next, { say, signal });
  const { goesOn, message } = judgeRelease(rule, finding);
  if (!goesOn) throw new Error(message);
  if (message === undefined) return undefined;
  say(message, 'WARNING');
  // That an agent hides its threads is true at each of its releases.
  return finding.kind === 'lost' ? message : undefined;
}

const findingOf = (
  serving: Server | undefined,
  next: Server,
  { say, signal }: Pick<DeployHooks, 'say' | 'signal'>,
): Promise<ReleaseFinding> =>
  checkRelease(
    {
      serving: serving && askerOf(serving),
      next: askerOf(next),
      hasOwnAuth: serving?.hasOwnAuth ?? false,
    },
    signal,
    { say },
  );

/** Its database is that of the server before it: the new one knows itself what would be lost in its graphs. */
async function durableFinding(next: Server): Promise<ReleaseFinding> {
  const { lost, unknown } = await lossAt(next).catch(() => ({ lost: [], unknown: undefined }));
  if (unknown === undefined) return { kind: 'unknown', why: 'the agent server gave no answer' };
  const [graph] = unknown;
  const why = graph === undefined ? undefined : nodesUnknown(graph);
  if (lost.length === 0) return why === undefined ? { kind: 'nothing' } : { kind: 'unknown', why };
  const all = lost.map(({ graph_id: graphId, node, threads: count }) => ({
    graphId,
    state: 'interrupted' as const,
    node: node ?? undefined,
    count,
  }));
  return { kind: 'lost', lost: all, ...(why !== undefined && { unknown: why }) };
}

function askerOf({ target: { where }, pathPrefix }: Server): AskServer {
  const host = where.host === '::1' ? '[::1]' : where.host;
  return askAt(`http://${host}:${where.port}${pathPrefix}`);
}
