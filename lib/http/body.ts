import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { refuse } from '../contract/errors.ts';
import { exchangeOf, type Step } from './exchange.ts';
import { jsonErrorPlace } from './json-position.ts';

export const BODY_SIZE_BYTES_MAX = 1024 * 1024;

/** The bytes of a body as text; binary ones come in base64. */
function bodyText(event: APIGatewayProxyEventV2): string {
  const encoded = event.body ?? '';
  const bytes = Buffer.from(encoded, event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.byteLength > BODY_SIZE_BYTES_MAX) {
    throw refuse('body_too_large', { sizeBytesMax: BODY_SIZE_BYTES_MAX });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refuse('invalid_json', { where: 'it is not UTF-8 text' });
  }
}

function checkContentType(type: string | undefined): void {
  if (type === undefined) return;
  const [essence = ''] = type.split(';');
  if (!/^application\/(?:[\w.-]+\+)?json$/i.test(essence.trim())) throw refuse('media_type', { type });
}

function parseObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The engine's message quotes the body; only the place of the mistake is passed on.
    throw refuse('invalid_json', { where: jsonErrorPlace(text) });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refuse('invalid_json', { where: 'it is not an object' });
  }
  return value;
}

/** Reads the body as a JSON object; an empty one, with or without a content type, is `{}`. */
export function readBody(event: APIGatewayProxyEventV2): object {
  const text = bodyText(event);
  if (text.trim() === '') return {};
  checkContentType(event.headers['content-type']);
  return parseObject(text);
}

export const body = (): Step => ({
  before: ({ event }) => {
    exchangeOf(event).body = readBody(event);
  },
});
