import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod';
import { ValidationError, type ValidationItem } from '../contract/errors.ts';
import type { RouteRow } from '../contract/routes/route.ts';
import { firstOfEachPlace, type RequestPart, validationItems } from '../contract/validation.ts';
import { exchangeOf, type Step } from './exchange.ts';

/** Rules beyond shape, run on the body as it came, so that their findings stand beside those of the schema. */
export type Check = (body: unknown) => ValidationItem[];

type Part = { value: unknown; items: ValidationItem[] };

function parsePart(part: RequestPart, schema: (() => z.ZodType) | undefined, value: unknown): Part {
  const result = schema?.().safeParse(value, { reportInput: true });
  if (result === undefined) return { value: undefined, items: [] };
  return result.success
    ? { value: result.data, items: [] }
    : { value: undefined, items: validationItems(part, result.error.issues) };
}

/** An empty value is an absent one. */
const query = (event: APIGatewayProxyEventV2): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(event.queryStringParameters ?? {}).filter(([, value]) => value !== ''));

/** Path, query and body against the row's schemas: all problems of the request at once, or the parsed parts. */
export const validate = (row: RouteRow, check: Check = () => []): Step => ({
  before: ({ event }) => {
    const exchange = exchangeOf(event);
    const parts = {
      params: parsePart('path', row.params, event.pathParameters ?? {}),
      query: parsePart('query', row.query, query(event)),
      body: parsePart('body', row.body, exchange.body),
    };
    const items = [parts.params, parts.query, parts.body].flatMap((part) => part.items);
    const all = firstOfEachPlace([...items, ...check(exchange.body)]);
    if (all.length > 0) throw new ValidationError(all);
    exchange.input = { params: parts.params.value, query: parts.query.value, body: parts.body.value };
  },
});
