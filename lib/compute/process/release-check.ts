import { judgeRelease, releaseRuleOf } from '../../domain/release-check.ts';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import type { DeployHooks } from '../../listener/driver.ts';
import { type AskServer, checkRelease } from '../release-check.ts';
import { askAt } from '../server-asker.ts';
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
  const servers = {
    serving: before.server && askerOf(before.server),
    next: askerOf(next),
    hasOwnAuth: before.server?.hasOwnAuth ?? false,
  };
  const finding = await checkRelease(servers, signal, { say });
  const { goesOn, message } = judgeRelease(rule, finding);
  if (!goesOn) throw new Error(message);
  if (message === undefined) return undefined;
  say(message, 'WARNING');
  // That an agent hides its threads is true at each of its releases.
  return finding.kind === 'lost' ? message : undefined;
}

function askerOf({ target: { where }, pathPrefix }: Server): AskServer {
  const host = where.host === '::1' ? '[::1]' : where.host;
  return askAt(`http://${host}:${where.port}${pathPrefix}`);
}
