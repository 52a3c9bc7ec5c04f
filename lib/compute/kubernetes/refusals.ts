import type { V1Deployment } from '@kubernetes/client-node';
import type { AgentFailure } from '../../domain/agent-failure.ts';
import { quantityOf } from './quantities.ts';

/** What may pass by itself: who decides does not answer, or a quota was made this moment. */
const PASSING =
  /failed (?:calling|to call) webhook|connection refused|deadline exceeded|i\/o timeout|no such host|status unknown for quota|Operation cannot be fulfilled/i;
/** Every admission plugin, webhook and policy says one of these. */
const REFUSED = /is forbidden:|denied the request|denied request|is invalid:/i;

/** Why the cluster makes no pods of a Deployment, as its controller has noted; undefined: it makes them. */
export function refusalOf({ status }: V1Deployment): AgentFailure | undefined {
  const failed = status?.conditions?.find((each) => each.type === 'ReplicaFailure' && each.status === 'True');
  return failed === undefined ? undefined : refusalIn(failed.message ?? '');
}

/** What admission says of a pod: final, but for what may pass by itself. */
export function refusalIn(message: string): AgentFailure {
  const said = withoutPod(message);
  const [, quota] = /exceeded quota: ([^,]+)/i.exec(said) ?? [];
  if (quota !== undefined && !isMoreThanAll(said)) return { kind: 'quota', quota, said };
  const [, name] = /serviceaccount "([^"]+)" not found/i.exec(said) ?? [];
  if (name !== undefined) return { kind: 'service_account_missing', name };
  if (PASSING.test(message) || !REFUSED.test(message)) return { kind: 'refused_for_now', said };
  if (/violates PodSecurity/i.test(said)) return { kind: 'refused', by: 'pod_security', said };
  const isLimit = /quota:|(?:minimum|maximum) \S+ usage per|limit to request ratio/i.test(said);
  return { kind: 'refused', by: isLimit ? 'limit' : 'policy', said };
}

/** The name of a pod that was never made says nothing. */
function withoutPod(message: string): string {
  const refused = /" is (?:forbidden|invalid): /i.exec(message);
  if (refused === null || !/\bpods? "[^"]*$/i.test(message.slice(0, refused.index))) return message;
  return message.slice(refused.index + refused[0].length);
}

/** Whether a pod asks for more than a quota ever allows: then it does not help to wait. */
function isMoreThanAll(said: string): boolean {
  const [, after = ''] = said.split('requested: ');
  const [requested = '', rest = ''] = after.split(', used: ');
  const [limited = ''] = (rest.split(', limited: ')[1] ?? '').split(/[\s;]/);
  const allowed = amountsOf(limited);
  return [...amountsOf(requested)].some(([name, amount]) => amount > (allowed.get(name) ?? amount));
}

/** `requests.cpu=250m,pods=1` by name. */
const amountsOf = (list: string): Map<string, number> =>
  new Map(
    list.split(',').map((each) => {
      const [name = '', amount = ''] = each.trim().split('=');
      return [name, quantityOf(amount) ?? 0];
    }),
  );
