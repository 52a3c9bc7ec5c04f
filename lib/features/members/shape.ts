import * as z from 'zod';
import { memberRoles } from '../../contract/roles.ts';
import { textRule } from '../../contract/validation/problems.ts';

/** Members in requests and responses. docs/identity.md explains them. */

/** OpenID Connect allows a subject so many characters. */
const USER_ID_LENGTH_MAX = 255;

/** People write patterns of GitHub's and GitLab's jobs elsewhere; here such a member would never be matched. */
const patternProblem = (userId: string): string | undefined =>
  userId.includes('*') && ['repo:', 'project_path:'].some((begin) => userId.startsWith(begin))
    ? 'a user id is compared letter by letter, and * stands for nothing: let jobs of CI in by a rule, with POST /v2/token-rules'
    : undefined;

/** `POST /v2/members`: who is one already gets the new role. */
export const putMemberBody = z.object({
  /** The subject (`sub`) of their tokens. */
  user_id: z
    .string()
    .min(1)
    .max(USER_ID_LENGTH_MAX)
    .regex(/^\P{Cc}+$/u, 'a user id contains no control characters')
    .superRefine(textRule(patternProblem)),
  role: z.enum(memberRoles),
});

export const memberView = z.object({
  id: z.guid(),
  user_id: z.string(),
  role: z.enum(memberRoles),
  created_at: z.string(),
});
export type MemberView = z.input<typeof memberView>;
export const memberListView = z.object({ resources: z.array(memberView), offset: z.int() });
