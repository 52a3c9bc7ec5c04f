import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { refuse, ValidationError } from '../contract/errors.ts';
import { type RouteRow, readsBody } from '../contract/routes/route.ts';
import { isNestedDeeper, jsonErrorOffset, jsonErrorPlace } from '../contract/validation/json-position.ts';
import type { Middleware } from './exchange.ts';

export const BODY_SIZE_BYTES_MAX = 1024 * 1024;

/**
 * No resource comes near it, and what is nested a hundred thousand times takes the parser and all who read
 * the result long.
 */
export const BODY_DEPTH_MAX = 1000;

/** The bytes of a body as they came; binary ones come in base64. */
export function bodyBytes(event: APIGatewayProxyEventV2, sizeBytesMax = BODY_SIZE_BYTES_MAX): Buffer {
  const encoded = event.body ?? '';
  const bytes = Buffer.from(encoded, event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.byteLength > sizeBytesMax) throw refuse('body_too_large', { sizeBytesMax });
  return bytes;
}

function bodyText(event: APIGatewayProxyEventV2): string {
  const bytes = bodyBytes(event);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refuse('not_utf8', { where: 'request body' });
  }
}

function checkContentType(type: string | undefined): void {
  if (type === undefined) return;
  const [essence = ''] = type.split(';');
  if (!/^application\/(?:[\w.-]+\+)?json$/i.test(essence.trim())) throw refuse('media_type', { type });
}

function parseJson(text: string): unknown {
  if (isNestedDeeper(text, BODY_DEPTH_MAX)) throw notJson(text);
  try {
    return JSON.parse(text);
  } catch {
    // The engine's message quotes the body; only the place of the mistake is passed on.
    throw notJson(text);
  }
}

function notJson(text: string): ValidationError {
  const offset = jsonErrorOffset(text, BODY_DEPTH_MAX);
  const isTooDeep = isNestedDeeper(text.slice(0, offset + 1), BODY_DEPTH_MAX);
  // Positions count characters, of which some are two units of JavaScript's texts.
  const pairs = text.slice(0, offset).match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
  const what = isTooDeep ? `nested more than ${BODY_DEPTH_MAX} levels deep` : 'not JSON';
  const ctx = { error: `${what} at ${jsonErrorPlace(text, offset)}` };
  const loc = ['body', offset - pairs];
  return new ValidationError([{ loc, type: 'json_invalid', msg: 'JSON decode error', ctx }]);
}

/** Reads the body as JSON; an empty one, with or without a content type, is `{}`. */
export function readBody(event: APIGatewayProxyEventV2): unknown {
  const text = bodyText(event);
  if (text.trim() === '') return {};
  checkContentType(event.headers['content-type']);
  return parseJson(text);
}

/** Where anybody may ask, nothing is parsed that is of no use. */
export const body = (row: RouteRow): Middleware => ({
  before: ({ event, internal }) => {
    if (readsBody(row)) internal.body = readBody(event);
  },
});
