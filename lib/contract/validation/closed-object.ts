import * as z from 'zod';
import { withoutNulls } from './json.ts';
import { report, type ValidationProblem } from './problems.ts';

const unknown: ValidationProblem = { type: 'extra_forbidden', msg: 'Extra inputs are not permitted' };

/**
 * A field that is not known: refused by its name, so that nothing a client asks for is dropped. Null is "not
 * given" here too.
 */
export const unknownField = z.unknown().superRefine((value, ctx) => {
  if (value !== null) report(ctx, unknown, [], value);
});

/** zod passes over this key, known or not. */
const PROTO = '__proto__';

function refuseProto(value: unknown, ctx: Parameters<typeof report>[0]): unknown {
  const isObject = typeof value === 'object' && value !== null;
  const member: unknown = isObject ? Object.getOwnPropertyDescriptor(value, PROTO)?.value : undefined;
  if (member !== undefined && member !== null) report(ctx, unknown, [PROTO], member);
  return value;
}

/** An object of these fields and no others, without those that are null. */
export const closedObject = <S extends z.core.$ZodLooseShape>(shape: S) =>
  z.preprocess(refuseProto, z.object(shape).catchall(unknownField).transform(withoutNulls));
