/** What Kubernetes takes as a name of some kind: each gives what is wrong with a text, or undefined. */

const LABEL_LENGTH_MAX = 63;
const SUBDOMAIN_LENGTH_MAX = 253;
const DNS_LABEL = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const LABEL = new RegExp(`^${DNS_LABEL}$`);
const SUBDOMAIN = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);
const QUALIFIED = /^(?:[A-Za-z0-9][\w.-]*)?[A-Za-z0-9]$/;
/** It becomes a file's name where the Secret is mounted. */
const SECRET_KEY = /^(?!\.$|\.\.)[\w.-]+$/;
/** Printable ASCII but `=`. */
const VARIABLE = /^[ -<>-~]+$/;
const QUANTITY = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[kMGTPE]i?|Ki|[mun]|[eE][+-]?\d+)?$/;

type Rule = (text: string) => string | undefined;

const rule =
  (pattern: RegExp, lengthMax: number, otherwise: string): Rule =>
  (text) =>
    pattern.test(text) && text.length <= lengthMax ? undefined : `${JSON.stringify(text)} ${otherwise}`;

export const dnsLabel = rule(
  LABEL,
  LABEL_LENGTH_MAX,
  "is no name here: at most 63 lower-case letters, digits and '-', a letter or digit at both ends",
);

export const subdomain = rule(
  SUBDOMAIN,
  SUBDOMAIN_LENGTH_MAX,
  "is no name here: at most 253 lower-case letters, digits, '-' and '.', a letter or digit at both ends",
);

export const secretKey = rule(
  SECRET_KEY,
  SUBDOMAIN_LENGTH_MAX,
  "is no key of a Secret: at most 253 letters, digits, '-', '_' and '.', not '.' alone, no '..' in front",
);

export const variableSyntax = rule(
  VARIABLE,
  Number.POSITIVE_INFINITY,
  "is no name of a variable here: printable ASCII without '='",
);

export const quantity = rule(QUANTITY, Number.POSITIVE_INFINITY, "is no quantity, such as '250m' or '512Mi'");

export const labelValue: Rule = (text) =>
  text === ''
    ? undefined
    : rule(
        QUALIFIED,
        LABEL_LENGTH_MAX,
        "is no value of a label: at most 63 letters, digits, '-', '_' and '.', a letter or digit at both ends",
      )(text);

/** A key of a label or an annotation: a name, perhaps behind a domain and a slash. */
export function qualifiedName(key: string): string | undefined {
  const slash = key.indexOf('/');
  const [prefix, name] = slash === -1 ? [undefined, key] : [key.slice(0, slash), key.slice(slash + 1)];
  if (prefix !== undefined && subdomain(prefix) !== undefined) return 'what stands before the / is no domain';
  return QUALIFIED.test(name) && name.length <= LABEL_LENGTH_MAX
    ? undefined
    : "a name has at most 63 letters, digits, '-', '_' and '.', a letter or digit at both ends";
}
