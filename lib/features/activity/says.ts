import type { MemberRole } from '../../contract/roles.ts';
import { numberOf } from '../../domain/revision-id.ts';
import { firstSentence } from './first-sentence.ts';
import type { Told } from './told.ts';

/** What was looked up for a sentence; undefined: it is gone, or not known. */
export type Words = {
  who: string | undefined;
  deployment: string | undefined;
  subject: string | undefined;
  /** The author of the commit that a push brought; null: a push of nobody that is known. */
  pushedBy: string | null | undefined;
  /** The number of the revision that is run again. */
  again: number | undefined;
};

const roleWords: Record<MemberRole, string> = {
  viewer: 'a viewer',
  developer: 'a developer',
  admin: 'an administrator',
  organization_admin: 'an administrator of the organization',
};

const quoted = (reason: string | undefined): string =>
  reason === undefined || reason === '' ? '' : `: “${firstSentence(reason)}”`;

/** Where it is not known who did it, the sentence is about the thing: "support-agent was created". */
const active = (who: string | undefined, verb: string, what: string): string => {
  if (who !== undefined) return `${who} ${verb} ${what}`;
  return `${what.startsWith('the ') ? `T${what.slice(1)}` : what} was ${verb}`;
};

const GONE = 'a deleted deployment';

/** The sentence of an entry, without its full stop. Names stand in it as they are, also at its beginning. */
export function saysOf(told: Told, words: Words): string {
  const says = sentenceOf(told, words);
  return words.deployment === undefined && says.startsWith(GONE) ? `A${says.slice(1)}` : says;
}

function sentenceOf(told: Told, words: Words): string {
  const { who, deployment = GONE } = words;
  const number = told.revisionId === undefined ? undefined : numberOf(told.revisionId);
  const ofRevision = number === undefined ? deployment : `${deployment}, revision ${number}`;
  switch (told.kind) {
    case 'deployment_created':
    case 'deployment_deleted':
      return told.by === undefined ? `${deployment} was ${told.verb}` : active(who, told.verb, deployment);
    case 'deployment_changed':
      return who === undefined
        ? `The settings of ${deployment} were changed`
        : `${who} changed the settings of ${deployment}`;
    case 'revision_begun':
      return told.by === undefined ? begun(deployment, number, words) : active(who, told.verb, ofRevision);
    case 'revision_rolled_back':
      return `${again(deployment, number, words)}${quoted(told.reason)}`;
    case 'revision_stopped':
      return told.by === undefined
        ? `Revision ${number} of ${deployment} was stopped`
        : `${active(who, told.verb, ofRevision)}${quoted(told.reason)}`;
    case 'revision_took_over':
      return told.before === undefined
        ? `${deployment} now serves revision ${number}`
        : `${deployment} ${number} took over from ${told.before}`;
    case 'revision_failed':
      return `${deployment} ${number} ${told.verb}${pushed(words)}`;
    case 'deployment_unhealthy':
      return told.reason === undefined
        ? `${deployment} ${told.verb}`
        : `${deployment} ${told.verb}: ${firstSentence(told.reason)}`;
    case 'deployment_healthy':
      return `${deployment} ${told.verb}`;
    case 'threads_expired':
      return `Threads of ${ofRevision} waited too long and were ended`;
    case 'threads_released':
      return told.by === undefined
        ? `The waiting threads of ${ofRevision} moved on to what serves`
        : `${who ?? 'Somebody'} moved the waiting threads of ${ofRevision} on to what serves`;
    default:
      return saysOfOther(told, words);
  }
}

const pushed = ({ pushedBy }: Words): string => {
  if (pushedBy === undefined) return '';
  return pushedBy === null ? ' after a push' : ` after a push by ${pushedBy}`;
};

const begun = (deployment: string, number: number | undefined, words: Words): string =>
  `${deployment} ${number ?? ''} began${pushed(words)}`;

function again(deployment: string, number: number | undefined, { who, again: old }: Words): string {
  if (old === undefined) return `${who ?? 'Somebody'} deployed an earlier revision of ${deployment} again`;
  // The one before it is mostly run again because it failed; who goes further back wants what was there.
  return number !== undefined && old < number - 1
    ? `${who ?? 'Somebody'} rolled ${deployment} back to revision ${old}`
    : `${who ?? 'Somebody'} deployed ${deployment}, revision ${old}, again`;
}

/** Of what is no deployment. */
function saysOfOther(told: Told, { who, subject }: Words): string {
  const named = (kind: string): string => (subject === undefined ? `a ${kind}` : `the ${kind} ${subject}`);
  switch (told.kind) {
    case 'listener_offline':
    case 'listener_online':
      return `${subject === undefined ? 'A removed listener' : `Listener ${subject}`} ${told.verb}`;
    case 'listener_changed':
      return active(who, told.verb, named('listener'));
    case 'integration_changed':
      return active(who, told.verb, subject ?? 'an integration');
    case 'webhook_changed':
      return active(who, told.verb, named('webhook'));
    case 'webhook_disabled':
      return `${subject === undefined ? 'A deleted webhook' : `The webhook ${subject}`} was turned off`;
    case 'key_changed':
      return active(who, told.verb, subject === undefined ? 'an access key' : `the access key ${subject}`);
    case 'member_changed':
      return ofMember(told, who);
    case 'provider_changed':
      return active(who, told.verb, named('provider'));
    case 'grant_expired':
      return `The access that ${subject ?? 'a provider'} had given has expired`;
    default:
      return `${who ?? 'Somebody'} signed in with the command line`;
  }
}

function ofMember({ verb, details }: Told, who: string | undefined): string {
  const member = details?.user_id ?? 'a member';
  if (verb === 'removed') return `${active(who, verb, member)} from the team`;
  const role = details?.role;
  const word = role === undefined || role === 'listener' ? 'a member' : roleWords[role];
  return `${active(who, verb, member)} as ${word}`;
}
