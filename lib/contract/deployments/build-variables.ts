import * as z from 'zod';
import { isReservedInBuilds, reservedInBuilds } from '../../reserved-names.ts';
import { always, report, valueError } from '../validation/problems.ts';
import { checkRepeatedNames, SECRETS_COUNT_MAX, secretValue, sizeCheck } from './secrets.ts';

/** Variables of builds: `build_env`, which is shown, and `build_secrets`, which never is. */

const NAME_LENGTH_MAX = 256;

/** Names are also written into Dockerfiles and lines of shell, so they are those that a shell knows. */
function nameProblem(name: string): string | undefined {
  if (isReservedInBuilds(name))
    return `the name ${name} is reserved: builds set ${reservedInBuilds.names.join(', ')} and all that begins with ${reservedInBuilds.beginnings.join(', ')} themselves`;
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
    ? undefined
    : 'the name of a build variable has letters, digits and _, and begins with no digit';
}

const list = (what: string) =>
  z
    .array(
      z.object({
        name: z
          .string()
          .min(1)
          .max(NAME_LENGTH_MAX)
          .superRefine((name, ctx) => {
            const problem = nameProblem(name);
            if (problem !== undefined) report(ctx, valueError(problem), [], name);
          }),
        value: secretValue(),
      }),
    )
    .max(SECRETS_COUNT_MAX)
    .superRefine(sizeCheck(what))
    .superRefine(checkRepeatedNames, always);

export const buildEnvRequest = () => list('build_env');
/** The mask in place of a value is resolved where the stored ones are known. */
export const buildSecretsRequest = () => list('build_secrets');
