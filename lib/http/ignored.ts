import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { RouteRow } from '../contract/routes/route.ts';
import { IGNORED_HEADER, ignoredFields } from '../contract/validation/ignored-fields.ts';
import { bodyBytes } from './body.ts';
import type { Exchange, Middleware } from './exchange.ts';

/**
 * Says in each answer which fields of the request's body nothing reads, refusals too: a name that is misspelt
 * is seen where it is sent. What was refused before its body was read says nothing of it.
 */
export const ignored = (row: RouteRow): Middleware[] => {
  const { body: schema } = row;
  if (schema === undefined || row.page !== undefined) return [];
  const shown = [row.response, row.echoes].filter((view) => view !== null && view !== undefined);
  const mark: NonNullable<Middleware['after']> = ({ event, internal, response }) => {
    if (!response) return;
    const fields = ignoredFields(schema, shown, bodyOf(event, internal, response.headers));
    if (fields.length > 0) response.headers = { ...response.headers, [IGNORED_HEADER]: fields.join(', ') };
  };
  return [{ after: mark, onError: mark }];
};

/** The body as it was read; an answer that was kept under its key is given before that. */
function bodyOf(
  event: APIGatewayProxyEventV2,
  { body }: Exchange,
  headers: Record<string, unknown> | undefined,
): unknown {
  if (body !== undefined || headers?.['idempotent-replayed'] === undefined) return body;
  try {
    return JSON.parse(bodyBytes(event).toString('utf8'));
  } catch {
    return undefined;
  }
}
