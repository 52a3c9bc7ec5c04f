import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ApiError } from '../contract/errors.ts';
import type { RouteRow } from '../contract/routes/route.ts';
import type { Refusal } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { hintOf, isWellFormed } from '../core/identity/api-key.ts';
import { whoWasRefused } from '../core/identity/refused.ts';
import type { Middleware } from './exchange.ts';
import { loggedAuditLog } from './notes.ts';

export type RefusalDeps = Pick<Deps, 'clock'> & Partial<Pick<Deps, 'auditLog'>>;

/** Tells the audit of requests that are answered with 401 or 403, by whatever step or use case. */
export function noteRefusals({ operation }: RouteRow, deps: () => RefusalDeps): Middleware {
  const note: NonNullable<Middleware['after']> = ({ event, error, internal, response }) => {
    const isOurs = error instanceof ApiError;
    noteRefusal(deps, {
      ...from(event),
      status: isOurs ? error.status : response?.statusCode,
      reason: isOurs ? error.code : undefined,
      operation,
      known: internal.caller ?? (isOurs ? whoWasRefused(error) : undefined),
    });
  };
  return { after: note, onError: note };
}

type Answered = Omit<Refusal, 'at' | 'id' | 'status'> & { status: number | undefined };

/** Tells the audit of a request, if it was answered with 401 or 403. Any other needs no dependencies. */
export function noteRefusal(deps: () => RefusalDeps, { status, ...refused }: Answered): void {
  if (status !== 401 && status !== 403) return;
  const { auditLog = loggedAuditLog, clock } = deps();
  auditLog.refused({ ...refused, at: clock.now(), id: clock.orderedId(), status });
}

type From = Pick<Refusal, 'requestId' | 'sourceAddress' | 'credential' | 'claimedTenantId'>;

const from = (event: APIGatewayProxyEventV2): From => ({
  requestId: event.requestContext.requestId,
  sourceAddress: event.requestContext.http.sourceIp,
  credential: credentialIn(event.headers),
  claimedTenantId: event.headers['x-tenant-id'],
});

/** Of what is no key of ours nothing is shown: it may be anything that somebody has pasted there. */
export function credentialIn({ 'x-api-key': key, authorization }: APIGatewayProxyEventV2['headers']): string {
  if (key !== undefined) return isWellFormed(key) ? hintOf(key) : 'malformed';
  return authorization === undefined ? 'none' : 'bearer';
}
