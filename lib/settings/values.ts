import * as z from 'zod';
import { machinePattern } from '../contract/images/platforms.ts';
import { hostsWanted, readHosts } from '../serving/hosts.ts';
import { hostList } from './host-list.ts';

// What variables and options may say, as text: each schema says in words what is wrong, to go on after the
// name. An empty text is as good as none.

/** The entries of a list that is written with commas. */
export const listed = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

const ORIGIN = /^https?:\/\/[a-z0-9.-]+(:\d+)?$/;

/** `*`, or scheme and host, with the port when it is not the scheme's own: as browsers name origins. */
export const isOrigin = (text: string): boolean => text === '*' || ORIGIN.test(text);

/** A text without the space around it. `read` answers the value, or what it must do instead, to go on after `must`. */
const read = <T>(absent: T, of: (text: string) => { value: T } | { must: string; wrong?: string }) =>
  z
    .string()
    .optional()
    .transform((given, context): T => {
      const text = (given ?? '').trim();
      if (text === '') return absent;
      const found = of(text);
      if ('value' in found) return found.value;
      context.addIssue({
        code: 'custom',
        message: `must ${found.must}, not '${found.wrong ?? given}'`,
      });
      return z.NEVER;
    });

export const text = read<string | undefined>(undefined, (value) => ({ value }));

export const textOr = (absent: string) => read(absent, (value) => ({ value }));

export const listOfTexts = read<string[]>([], (given) => ({ value: listed(given) }));

/** Keys of an issuer come over TLS, or from this very machine. */
const ISSUER = /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/]|$))/;
/** What a program on this machine takes for the address of an issuer. */
export const isIssuer = (given: string): boolean => ISSUER.test(given) && URL.canParse(given);

export const issuerList = read<string[]>([], (given) => {
  const issuers = listed(given);
  const wrong = issuers.find((issuer) => !isIssuer(issuer));
  return wrong === undefined
    ? { value: issuers }
    : { must: 'be https URLs, or http ones of this machine, separated by commas', wrong };
});

export const yesOrNo = read(false, (given) =>
  /^(true|false)$/i.test(given) ? { value: given.toLowerCase() === 'true' } : { must: 'be true or false' },
);

/** One of some words, in any case. */
export function choice<const Word extends string>(words: readonly Word[], absent: NoInfer<Word>) {
  const must = words.length > 2 ? `be one of ${words.join(', ')}` : `be ${words.join(' or ')}`;
  return read<Word>(absent, (given) => {
    const value = words.find((word) => word === given.toLowerCase());
    return value === undefined ? { must } : { value };
  });
}

/** How much a program prints, from the most talkative to the most silent. */
export const printedLevels = ['debug', 'info', 'warn', 'error'] as const;
export type PrintedLevel = (typeof printedLevels)[number];
export const logLevel = choice(printedLevels, 'info');

/** Node sends no request to an address with a password, and repeats it where it says so. */
const addressOf = (made: (given: string) => string) =>
  read<string | undefined>(undefined, (given) => {
    const url = /^https?:\/\//.test(given) ? URL.parse(given) : null;
    if (url === null) return { must: 'be an http(s) URL' };
    if (url.username === '' && url.password === '') return { value: made(given) };
    return { must: 'have no user name and no password', wrong: `${url.protocol}//…@${url.host}` };
  });

/** An address that paths are added to: without slashes at its end. */
export const address = addressOf((given) => given.replace(/\/+$/, ''));

/** Names of headers (RFC 9110 §5.1), and values that a request can carry. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/**
 * Headers as OpenTelemetry writes them: `name=value,name=value`, what means something else there as `%2C`.
 * Values are secrets, and a message names none of them.
 */
export const headers = read<Record<string, string>>({}, (given) => {
  const pairs = listed(given).map((pair) => {
    const [name = '', ...value] = pair.split('=');
    return { name: name.trim(), value: value.length === 0 ? undefined : decoded(value.join('=').trim()) };
  });
  const wrong = pairs.find(
    ({ name, value }) => !HEADER_NAME.test(name) || value === undefined || !HEADER_VALUE.test(value),
  );
  if (wrong !== undefined)
    return { must: 'look like name=value, separated by commas', wrong: `${wrong.name.slice(0, 40)}=…` };
  return { value: Object.fromEntries(pairs.map(({ name, value = '' }) => [name.toLowerCase(), value])) };
});

/** As `headers` reads them. */
export const headersText = (given: Readonly<Record<string, string>>): string =>
  Object.entries(given)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join(',');

function decoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** An address that is asked as it is written. */
export const endpoint = addressOf((given) => given);

/** Host names, as requests may carry them in `Host`; each as `hostNameOf` spells it. */
export const publicHosts = z
  .string()
  .optional()
  .transform((given, context): string[] => {
    const { hosts, wrong } = readHosts(given ?? '');
    const [first] = wrong;
    if (first === undefined) return hosts;
    context.addIssue({ code: 'custom', message: `must be ${hostsWanted(first)}` });
    return z.NEVER;
  });

export const hosts = read<string[]>([], (given) => {
  const parsed = hostList().safeParse(given);
  return parsed.success
    ? { value: parsed.data }
    : { must: 'be host names without ports, separated by commas' };
});

/** Pages that a person serves from their own machine. */
const OWN_PAGES = ['http://localhost:*', 'http://127.0.0.1:*'];

export const originsOfPages = read<string[]>(OWN_PAGES, (given) => {
  const origins = listed(given);
  if (origins.length === 0) return { value: OWN_PAGES };
  if (origins.length === 1 && origins[0] === 'none') return { value: [] };
  const wrong = origins.find((origin) => !isOrigin(origin.replace(/:\*$/, '')));
  if (wrong === undefined) return { value: origins };
  return {
    must: 'be none, *, or origins such as https://console.example or http://localhost:*, separated by commas',
    wrong,
  };
});

/** What goes wrong on purpose, for testing: which share of the writes meets another writer's transaction. */
export type Faults = { transactionConflict: number; seed: number };

/** More, and five seconds of retries would no longer be enough for most transactions. */
const FAULT_SHARE_MAX = 0.9;

/** `transaction-conflict=0.2`, optionally followed by `,seed=7` (by default 1). */
export const faults = read<Faults | undefined>(undefined, (given) => {
  const [, share, seed = '1'] = /^transaction-conflict=(\d(?:\.\d+)?)(?:,seed=(\d{1,9}))?$/.exec(given) ?? [];
  if (share !== undefined && Number(share) <= FAULT_SHARE_MAX)
    return { value: { transactionConflict: Number(share), seed: Number(seed) } };
  return {
    must: `be transaction-conflict=<share from 0 to ${FAULT_SHARE_MAX}>, optionally with ,seed=<number>`,
  };
});

/** `/d`, or `/agents/d`: without a slash at its end. */
export const pathPrefix = read('/d', (given) => {
  const value = given.replace(/\/+$/, '');
  return /^(\/[A-Za-z0-9._~-]+)+$/.test(value) ? { value } : { must: 'look like /d' };
});

const NAMESPACE = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export const namespaces = read<[string, ...string[]] | undefined>(undefined, (given) => {
  const [first = '', ...more] = given.split(',').map((name) => name.trim());
  const wrong = [first, ...more].find((name) => !NAMESPACE.test(name));
  return wrong === undefined
    ? { value: [first, ...more] }
    : { must: 'be names of namespaces, separated by commas', wrong };
});

/** A machine, in the words of images. */
export const platform = read<string | undefined>(undefined, (given) =>
  machinePattern.test(given) ? { value: given } : { must: 'look like linux/amd64' },
);
