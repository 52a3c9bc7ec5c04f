import { readFile } from 'node:fs/promises';

/** Whose kubeconfig tests use, and so do their listeners unless they have one of their own. */
const ADMIN = 'admin';

/** What a line of the audit log says of a request. */
export type Audited = {
  auditID: string;
  verb: string;
  requestReceivedTimestamp: string;
  user: { username: string };
  objectRef?: {
    resource?: string;
    apiGroup?: string;
    namespace?: string;
    name?: string;
    subresource?: string;
  };
  responseStatus?: { code?: number };
  annotations?: Record<string, string>;
};

/** All that a user has asked for so far; everybody may ask what kinds there are, which is left out. */
export async function requestsOf(auditLog: string, user: string): Promise<Audited[]> {
  const lines = (await readFile(auditLog, 'utf8')).split('\n').slice(0, -1);
  return lines
    .filter((line) => line.includes(user))
    .map((line): Audited => JSON.parse(line))
    .filter(({ user: by, objectRef }) => by.username === user && objectRef?.resource !== undefined);
}

/** What listeners have asked for in a namespace within a time (epoch milliseconds), each request once. */
export async function askedBetween(
  auditLog: string,
  namespace: string,
  from: number,
  to: number,
): Promise<Audited[]> {
  const all = await requestsOf(auditLog, ADMIN);
  const inside = all.filter(({ objectRef, requestReceivedTimestamp }) => {
    const at = Date.parse(requestReceivedTimestamp);
    return objectRef?.namespace === namespace && at >= from && at <= to;
  });
  // What is watched has a line when it begins, and one when it ends.
  return [...new Map(inside.map((each) => [each.auditID, each])).values()];
}

/** The right that a request asks for, such as `apps/deployments patch`, as `rightsOf` has it. */
export function rightAskedBy({ verb, objectRef = {} }: Audited): string {
  const { apiGroup = '', resource, subresource } = objectRef;
  const what = [resource, subresource].filter((part) => part !== undefined).join('/');
  return `${apiGroup}/${what} ${verb}`;
}

export const isRefused = ({ responseStatus, annotations }: Audited): boolean =>
  responseStatus?.code === 403 || annotations?.['authorization.k8s.io/decision'] === 'forbid';

/**
 * Each right that these requests took. The log has nothing of the second one that applying takes where
 * nothing is yet, to create it: only the answer tells.
 */
export function rightsTaken(requests: readonly Audited[]): string[] {
  const taken = requests
    .filter((request) => !isRefused(request))
    .flatMap((request) => {
      const isCreated = request.verb === 'patch' && request.responseStatus?.code === 201;
      return isCreated ? [request, { ...request, verb: 'create' }] : [request];
    })
    .map(rightAskedBy);
  return [...new Set(taken)].toSorted();
}
