import { ValidationError } from '../contract/errors.ts';
import { bodyBytes } from './body.ts';
import type { Middleware } from './exchange.ts';

const FORM_SIZE_BYTES_MAX = 64 * 1024;
const isForm = (type: string): boolean =>
  (type.split(';')[0] ?? '').trim().toLowerCase() === 'application/x-www-form-urlencoded';

/**
 * Takes a form for the JSON object of its fields, as clients of OAuth send it; what is no form is left as it
 * is. A field that is empty is absent, and none may come twice (RFC 6749 §3.2).
 */
export const formAsJson: Middleware = {
  before: ({ event }) => {
    if (!isForm(event.headers['content-type'] ?? '')) return;
    const form = new URLSearchParams(bodyBytes(event, FORM_SIZE_BYTES_MAX).toString('utf8'));
    const twice = repeatedIn(form.keys());
    if (twice.length > 0) throw new ValidationError(twice.slice(0, NAMED_MAX).map(repeated));
    event.body = JSON.stringify(Object.fromEntries([...form].filter(([, value]) => value !== '')));
    event.isBase64Encoded = false;
    event.headers['content-type'] = 'application/json';
  },
};

const NAMED_MAX = 20;

/** What comes more than once, in one pass: a form can have thousands of fields. */
function repeatedIn(names: Iterable<string>): string[] {
  const [seen, twice] = [new Set<string>(), new Set<string>()];
  for (const name of names) (seen.has(name) ? twice : seen).add(name);
  return [...twice];
}

const repeated = (name: string) => ({
  loc: ['body', name],
  type: 'value_error',
  msg: 'Value error, a form has each field once',
});
