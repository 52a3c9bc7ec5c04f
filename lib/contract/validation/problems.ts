import type * as z from 'zod';

/**
 * A problem that zod has no word for, carried through it: `type` in the pydantic vocabulary, `ctx` the bound
 * it broke.
 */
export type ValidationProblem = { type: string; msg: string; ctx?: Record<string, unknown> };

/** What `.superRefine` and `.transform` give to report with. */
type Reporter = Pick<z.RefinementCtx, 'addIssue'>;

/**
 * Reports a problem at `path`, relative to the schema it is found in; `input` absent keeps the value out of
 * the answer.
 */
export function report(
  ctx: Reporter,
  problem: ValidationProblem,
  path: (string | number)[] = [],
  input?: unknown,
): void {
  const { msg, ...params } = problem;
  ctx.addIssue({ code: 'custom', message: msg, params, path, input });
}

/** A broken rule in a sentence, as pydantic words it. */
export const valueError = (reason: string): ValidationProblem => ({
  type: 'value_error',
  msg: `Value error, ${reason}`,
});

export const missing: ValidationProblem = { type: 'missing', msg: 'Field required' };

/**
 * Pass to `.superRefine` for a rule over several fields: it runs even when single fields are wrong, so all is
 * said at once.
 */
export const always = { when: () => true } as const;

/** Makes a `.superRefine` check of a text rule: `reason` gives what is wrong with the text, or undefined. */
export function textRule(reason: (text: string) => string | undefined) {
  return (text: string, ctx: Reporter): void => {
    const wrong = reason(text);
    if (wrong !== undefined) report(ctx, valueError(wrong), [], text);
  };
}
