import {
  beyond,
  billedMilliseconds,
  call,
  FUNCTIONS_ASKED,
  HOUR_SECONDS,
  MONTH_SECONDS,
  note,
  request,
} from './cost.ts';
import type { Counts } from './counts.ts';
import { type Line, sum, times } from './usage.ts';

/** Sweep looks at one that is rung when it is offline if it has not asked again. */
const PRESENCE_BEYOND_SECONDS = 90;
/** How often a listener asks that is rung, and what it sends over its socket, which is opened anew so often. */
const RUNG_SECONDS = 300;
const PING_SECONDS = 480;
const SOCKET_SECONDS = 7200;
/** Those that claim and look at what should run: reports ride on claims. */
const RUNG_FUNCTIONS_ASKED = FUNCTIONS_ASKED - 1;
/** A claim of one that is rung reads its socket too. To open one takes a key, a listener and two items. */
const SOCKET_READS = 1;
const opening = { reads: 2, writes: 4 };
/** To close one: whose it was, both items, and when it is looked at. */
const closing = { reads: 1, writes: 6 };

const nothing: Counts['knownReports'] = { reads: 0, writes: 0 };

/**
 * An idle listener that a doorbell rings, for a month, by part. Its claims carry the reports of what runs:
 * nothing, or `known`, which change nothing.
 */
export function rungLines(counts: Counts, known = nothing): Line[] {
  const { reads, writes } = counts.claimNoting;
  const minutes = MONTH_SECONDS / 60;
  const sockets = MONTH_SECONDS / SOCKET_SECONDS;
  const pings = MONTH_SECONDS / PING_SECONDS;
  const looks = MONTH_SECONDS / (RUNG_SECONDS + PRESENCE_BEYOND_SECONDS);
  const milliseconds = billedMilliseconds.request;
  return [
    [
      'claims with reports, every 300 s',
      times(
        MONTH_SECONDS / RUNG_SECONDS,
        request({ reads: reads + SOCKET_READS + known.reads, writes: writes + known.writes }),
      ),
    ],
    ['looks at what should run, every 300 s', times(MONTH_SECONDS / RUNG_SECONDS, request(counts.desired))],
    ['notes of its key', times((MONTH_SECONDS / HOUR_SECONDS) * RUNG_FUNCTIONS_ASKED, note(counts.keyUse))],
    ['looks of sweep whether it is online', times(looks, beyond(counts.presence, counts.schedules.sweep))],
    [
      'its socket, opened anew every 2 h, with a message every 480 s',
      sum(
        { socketMinute: minutes, socketMessage: pings },
        times(sockets, sum(call({ units: opening, milliseconds }), call({ units: closing, milliseconds }))),
      ),
    ],
  ];
}
