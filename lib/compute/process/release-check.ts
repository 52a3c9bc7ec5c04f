import { judgeRelease, releaseRuleOf } from '../../domain/release-check.ts';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import type { DeployHooks } from '../../listener/driver.ts';
import { type AskServer, checkRelease } from '../release-check.ts';
import type { Server } from './server.ts';

/** State may be long, and is read for its next nodes alone. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

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
  const finding = await checkRelease(servers, signal);
  const { goesOn, message } = judgeRelease(rule, finding);
  if (!goesOn) throw new Error(message);
  if (message === undefined) return undefined;
  say(message, 'WARNING');
  // That an agent hides its threads is true at each of its releases.
  return finding.kind === 'lost' ? message : undefined;
}

function askerOf({ target: { where }, pathPrefix }: Server): AskServer {
  const host = where.host === '::1' ? '[::1]' : where.host;
  return async (method, path, body, signal) => {
    const response = await fetch(`http://${host}:${where.port}${pathPrefix}${path}`, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
      signal,
      redirect: 'manual',
    });
    return { status: response.status, body: await jsonOf(response) };
  };
}

/** The JSON of an answer; undefined: it is none, or too long. */
async function jsonOf(response: Response): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    // Leaving the loop ends the answer.
    if (size > BODY_BYTES_MAX) return undefined;
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    return undefined;
  }
}
