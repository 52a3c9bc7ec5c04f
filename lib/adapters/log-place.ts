import { ValidationError } from '../contract/errors.ts';
import type { LogQuery } from './logs.ts';

/**
 * A line's place among the lines of its log: a time that never goes back, and a number that tells lines of
 * one time apart.
 */
export type LogPosition = { timestamp: number; sequence: number };

const offsetPattern = /^(asc|desc):(\d{1,15})-(\d{1,15})$/;
const idPattern = /^(\d{1,15})-(\d{1,15})$/;

export const isAfter = (a: LogPosition, b: LogPosition): boolean =>
  a.timestamp > b.timestamp || (a.timestamp === b.timestamp && a.sequence > b.sequence);

export const idOf = ({ timestamp, sequence }: LogPosition): string => `${timestamp}-${sequence}`;

/** The offset that continues behind the entry with this id, as `idOf` gave it. */
export const offsetBehind = (order: LogQuery['order'], id: string): string =>
  Buffer.from(`${order}:${id}`).toString('base64url');

export const offsetOf = (order: LogQuery['order'], place: LogPosition): string =>
  offsetBehind(order, idOf(place));

/**
 * The place that an offset of an answer in the same order stands for. Throws ValidationError for anything
 * else.
 */
export function parseOffset({ offset, order }: LogQuery): LogPosition | undefined {
  if (offset === undefined) return undefined;
  const [, givenOrder, timestamp, sequence] =
    offsetPattern.exec(Buffer.from(offset, 'base64url').toString('latin1')) ?? [];
  if (givenOrder === order) return { timestamp: Number(timestamp), sequence: Number(sequence) };
  const msg = `Value error, offset must be a 'next_offset' of an earlier answer in ${order} order`;
  throw new ValidationError([{ loc: ['body', 'offset'], msg, type: 'value_error', input: offset }]);
}

/**
 * The place of the entry with the query's `afterId`. Throws ValidationError when it cannot be an entry's id.
 */
export function parseAfterId({ afterId }: LogQuery): LogPosition | undefined {
  if (afterId === undefined) return undefined;
  const [, timestamp, sequence] = idPattern.exec(afterId) ?? [];
  if (timestamp !== undefined) return { timestamp: Number(timestamp), sequence: Number(sequence) };
  const msg = "Value error, Last-Event-ID must be the 'id' of a log entry";
  throw new ValidationError([{ loc: ['header', 'last-event-id'], msg, type: 'value_error', input: afterId }]);
}
