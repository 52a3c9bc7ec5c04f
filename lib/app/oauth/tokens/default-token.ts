import { present, update } from '../../../store/expressions.ts';
import { keyOfToken, type OAuthToken } from '../../../store/oauth-tokens.ts';
import type { Write } from '../../../store/operations.ts';

/** Whether another token is marked as the default of the same person and agent. */
export const isDefaultBeside = (token: OAuthToken, other: OAuthToken): boolean =>
  other.is_default &&
  other.id !== token.id &&
  other.user_id === token.user_id &&
  other.agent_id === token.agent_id;

export const demote = (other: OAuthToken): Write =>
  update(`default ${other.id}`, keyOfToken(other), { set: { is_default: false } }, present('pk'));
