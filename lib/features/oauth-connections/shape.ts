import * as z from 'zod';
import { freeText } from '../../contract/validation/json.ts';
import { id } from '../../contract/validation/query.ts';
import { claimedName } from '../oauth-tokens/shape.ts';

/** Agents that may act with a token of the user who connected them. */

export const agentParams = z.object({ agent_id: claimedName });
export const connectionParams = z.object({ agent_id: claimedName, connection_id: id });

/** `POST /v2/auth/agents/{agent_id}/connections`. Any text may be asked for. */
export const createConnectionBody = z.object({ oauth_token_id: freeText });

export const connectionView = z.object({
  id: z.string(),
  agent_id: z.string(),
  oauth_token_id: z.string(),
  provider_id: z.string(),
  provider_account_label: z.string().nullable(),
  scopes: z.array(z.string()),
  /** Of the access token. */
  expires_at: z.string().nullable(),
  created_by: z.string(),
  created_at: z.string(),
});
export type ConnectionView = z.input<typeof connectionView>;

export const connectionListView = z.object({ data: z.array(connectionView) });

/** The one answer that holds an access token; nothing keeps it. */
export const connectionTokenView = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  provider_id: z.string(),
  scopes: z.array(z.string()),
  expires_at: z.string().nullable(),
});
