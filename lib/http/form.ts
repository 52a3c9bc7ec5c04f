import type { APIGatewayProxyEventV2 } from 'aws-lambda';

/** Forms of ours have one short field. */
const FORM_SIZE_BYTES_MAX = 16 * 1024;

/** The fields of a posted form; none of a body that is larger than ours are, or no form. */
export function readForm({ body = '', isBase64Encoded, headers }: APIGatewayProxyEventV2): URLSearchParams {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const isForm = type.trim().toLowerCase() === 'application/x-www-form-urlencoded';
  return new URLSearchParams(isForm && bytes.byteLength <= FORM_SIZE_BYTES_MAX ? bytes.toString('utf8') : '');
}
