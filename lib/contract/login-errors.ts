import type { ErrorShape } from './limit-errors.ts';

/** What is said of the login of a program; the first four have their names from RFC 8628 §3.5. Part of `errors`. */
export const loginErrors = {
  authorization_pending: {
    status: 400,
    detail: (_: object) => 'Nobody has confirmed this login yet; ask again after the interval.',
  },
  slow_down: {
    status: 400,
    detail: (p: { seconds: number }) =>
      `Nobody has confirmed this login yet; ask again after ${p.seconds} seconds, and not sooner from now on.`,
  },
  access_denied: {
    status: 400,
    detail: (_: object) => 'This login was denied, or who confirmed it may no longer let it in.',
  },
  expired_token: {
    status: 400,
    detail: (_: object) =>
      'This login is over: it gives one key, within ten minutes. Begin another with POST /v2/device/code.',
  },
  device_login_not_found: {
    status: 404,
    detail: (_: object) =>
      'No login waits with this code: it is good once, for ten minutes. Compare it with the one in the terminal, or begin again there.',
  },
  too_many_logins: {
    status: 429,
    detail: (_: object) =>
      'Too many logins were begun within ten minutes; begin one later, or use an API key (slipway login --key-stdin).',
    headers: { 'retry-after': '60' },
  },
  too_many_tries: {
    status: 403,
    detail: (p: { limit: number }) =>
      `You have typed ${p.limit} codes within ten minutes that no login waits with; try again later.`,
  },
} as const satisfies Record<string, ErrorShape>;
