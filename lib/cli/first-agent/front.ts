import { setTimeout as delay } from 'node:timers/promises';
import { NO_AGENT } from '../../contract/agent-front.ts';
import type { Deps } from '../../core/deps.ts';
import { Obstacle } from '../explain.ts';

/** Asks an address as anybody would. Rejects when nothing answers. */
export type Ask = (url: string) => Promise<Answer>;
type Answer = { status: number; body: string };
/** `nothing`: why there was no answer. */
type Heard = Answer | { nothing: Error };

/** A distribution that was made a moment ago is not known everywhere yet, nor is its name. */
const FRONT_MILLISECONDS = 600_000;
const AGENT_MILLISECONDS = 300_000;
const ASK_AGAIN_MILLISECONDS = 2_000;
const SAY_AGAIN_MILLISECONDS = 60_000;

/** No tenant has this id, so no rule of the balancer is for it. */
const NOBODY = '/d/no-tenant/no-agent';

/**
 * Waits until the front of all agents answers for one that is not there, in the balancer's words: then
 * requests come through. Says now and then what is heard until then. Throws `Obstacle` after ten minutes,
 * with what stands between them.
 */
export function untilFrontAnswers(
  clock: Deps['clock'],
  agentsUrl: string,
  ask: Ask,
  say: (line: string) => void,
): Promise<void> {
  const url = agentsUrl + NOBODY;
  say(`Asking ${url}, where no agent is, until the balancer says so`);
  return untilHeard({ clock, ask, say }, url, {
    milliseconds: FRONT_MILLISECONDS,
    isIt: isNobody,
    otherwise: (heard, forSo) =>
      `${url} has not answered 404 in the words of the balancer${forSo}. ${troubleOf(heard, url)} No agent was built, and no tenant was made.`,
  });
}

/** Waits until an agent that is deployed and healthy answers 200. Throws `Obstacle` after five minutes. */
export function untilAgentAnswers(
  clock: Deps['clock'],
  url: string,
  ask: Ask,
  say: (line: string) => void,
): Promise<void> {
  return untilHeard({ clock, ask, say }, url, {
    milliseconds: AGENT_MILLISECONDS,
    isIt: (heard) => 'status' in heard && heard.status === 200,
    otherwise: (heard, forSo) =>
      `The agent is deployed and healthy, but ${url} has not answered 200${forSo}. ${troubleOf(heard, url)}`,
  });
}

type Asking = { clock: Deps['clock']; ask: Ask; say: (line: string) => void };
type Wanted = {
  milliseconds: number;
  isIt: (heard: Heard) => boolean;
  /** `forSo`: how long it was asked, ` for 5 minutes`. */
  otherwise: (heard: Heard, forSo: string) => string;
};

async function untilHeard({ clock, ask, say }: Asking, url: string, wanted: Wanted): Promise<void> {
  const { milliseconds, isIt, otherwise } = wanted;
  const endsAt = clock.now() + milliseconds;
  let said = { words: '', at: 0 };
  for (;;) {
    const heard = await ask(url).catch((error: unknown): Heard => ({ nothing: asError(error) }));
    if (isIt(heard)) return;
    const now = clock.now();
    if (isFinal(heard)) throw new Obstacle(otherwise(heard, ''));
    if (now >= endsAt) throw new Obstacle(otherwise(heard, ` for ${minutesOf(milliseconds)} minutes`));
    const words = wordsOf(heard);
    if (words !== said.words || now >= said.at + SAY_AGAIN_MILLISECONDS) {
      say(`  It answers ${words}; asking for ${minutesOf(endsAt - now)} more minutes`);
      said = { words, at: now };
    }
    await delay(ASK_AGAIN_MILLISECONDS);
  }
}

const minutesOf = (milliseconds: number): number => Math.ceil(milliseconds / 60_000);
const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const isNobody = (heard: Heard): boolean =>
  'status' in heard && heard.status === 404 && heard.body.trim() === NO_AGENT;

/** Rules that keep this machine out do not go by waiting. */
const isFinal = (heard: Heard): boolean => 'status' in heard && heard.status === 403;

const wordsOf = (heard: Heard): string =>
  'status' in heard ? String(heard.status) : `nothing (${reasonOf(heard.nothing)})`;

/** `fetch` puts what happened into the cause of its error. */
function reasonOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}

const NAME_UNKNOWN = /ENOTFOUND|EAI_AGAIN/;
const TIMED_OUT = /AbortError|ETIMEDOUT|timeout/i;
/** The front is there, and what lies behind it is not reached, or does not answer. */
const BEHIND = [502, 504];

const UNREACHED =
  "CloudFront does not reach the balancer. Its security groups have to admit CloudFront (the prefix list com.amazonaws.global.cloudfront.origin-facing, the balancer's own subnets, and CloudFront-VPCOrigins-Service-SG once it is there), and it has to stand in zones that CloudFront reaches: docs/fargate.md#zones.";

/** What stands between an asker and an agent, and where to look, in words. */
function troubleOf(heard: Heard, url: string): string {
  if ('nothing' in heard) {
    const text = `${heard.nothing.name} ${reasonOf(heard.nothing)}`;
    if (NAME_UNKNOWN.test(text))
      return `This network does not resolve ${new URL(url).hostname} (${reasonOf(heard.nothing)}): ask its DNS, or try from another network. Under agentsDomain a host needs the record that the deploy has printed as AgentsRecord.`;
    if (TIMED_OUT.test(text)) return `Nothing came back in time. ${UNREACHED}`;
    return `There is no connection: ${reasonOf(heard.nothing)}.`;
  }
  const { status, body } = heard;
  const said = `It answers ${status}: ${body.trim().slice(0, BODY_SHOWN) || 'nothing more'}.`;
  if (BEHIND.includes(status)) return `${said} ${UNREACHED}`;
  if (status === 403)
    return `${said} This machine is kept out: by agentAllowedCidrs, or by the web ACL of the distribution. Run this where it is let in.`;
  return `${said} Is the distribution enabled?`;
}

/** Pages of errors of CloudFront are long, and say it at the beginning. */
const BODY_SHOWN = 300;
