import { type CountedKind, settingOf, wayOutOf } from './limits.ts';

export type ErrorShape = {
  status: number;
  detail: (params: never) => string;
  headers?: Record<string, string>;
  /** What OAuth calls it, where its clients ask. */
  oauth?: string;
};

/** What is said when there is too much of something. Part of `errors`. */
export const limitErrors = {
  limit_reached: {
    status: 409,
    detail: (p: { kind: CountedKind; count: number; limit: number }) =>
      `There are ${p.count} ${p.kind} already, and the limit is ${p.limit}: ${wayOutOf(p.kind)} first, or have the operator raise '${settingOf(p.kind)}'.`,
  },
  compute_full: {
    status: 409,
    detail: (p: { what: string; free: number; quota: number; needed: number }) =>
      `The balancer of this installation's agents has ${p.free} of its ${p.quota} ${p.what} free, and another agent needs ${p.needed}: delete a deployment on this listener, or choose another listener.`,
  },
  queue_full: {
    status: 409,
    detail: (p: { limit: number }) =>
      `${p.limit} revisions are already queued; wait for one to finish or interrupt one.`,
  },
  waiting_full: {
    status: 409,
    detail: (p: { count: number; limit: number }) =>
      `${p.count} revisions of this tenant wait already, and the limit is ${p.limit}: wait for some to be processed or interrupt some, or have the operator raise 'waitingRevisionsMax'.`,
  },
  too_many_followers: {
    status: 429,
    detail: (p: { limit: number; keptForOthers: number }) =>
      `${p.limit} logs of this tenant may be followed at once, the last ${p.keptForOthers} of them only by who follows no other, and none that is left is free for you. Stop following one, try again in 10 seconds, or read the log without 'Accept: text/event-stream'.`,
    headers: { 'retry-after': '10' },
  },
} as const satisfies Record<string, ErrorShape>;
