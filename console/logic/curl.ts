import { addressOf, type Parts } from '../../lib/client/address.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Fields that hold a secret, and the variable that stands for each in a command. */
const secretFields: Record<string, string> = {
  access_token: 'ACCESS_TOKEN',
  client_secret: 'CLIENT_SECRET',
  refresh_token: 'REFRESH_TOKEN',
  token: 'TOKEN',
  webhook_secret: 'WEBHOOK_SECRET',
};
const variables = new RegExp(`"\\$(${Object.values(secretFields).join('|')})"`, 'g');

const withoutSecrets = (body: unknown): string =>
  JSON.stringify(body, (field, value: unknown) =>
    typeof value === 'string' && Object.hasOwn(secretFields, field) ? `$${secretFields[field]}` : value,
  );

/** Single quotes keep the body as it is, but for the variables, which the shell fills in. */
const bodyOf = (body: unknown): string =>
  quoted(withoutSecrets(body)).replaceAll(variables, (_, name: string) => `"'"$${name}"'"`);

/**
 * The same request for a terminal. The key and other secrets stand in variables: a command is copied into
 * many places.
 */
export function curlOf(origin: string, endpoint: string, parts: Parts): string {
  const method = endpoint.slice(0, endpoint.indexOf(' '));
  const lines = [`curl -sS -X ${method} ${quoted(origin + addressOf(endpoint, parts))}`];
  lines.push('-H "X-Api-Key: $SLIPWAY_API_KEY"');
  if (parts.body !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d ${bodyOf(parts.body)}`);
  }
  return lines.join(' \\\n  ');
}
