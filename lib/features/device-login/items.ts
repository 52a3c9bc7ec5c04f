import * as z from 'zod';
import { memberRoles } from '../../contract/roles.ts';

const login = {
  v: z.literal(1),
  entity: z.literal('device_login'),
  id: z.string(),
  client_name: z.string(),
  source_address: z.string(),
  /** The hash of the code that a person types. */
  user_code_hash: z.string(),
  created_at: z.string(),
  /** Epoch milliseconds. */
  expires_at: z.number(),
  ttl: z.number(),
  /** How long the program has to wait before it asks again. */
  interval_seconds: z.number(),
  /** When it asked last, in epoch milliseconds; absent: not yet. */
  asked_at: z.number().optional(),
};

/** What the person who confirmed has given; the key is made when the program fetches it. */
const grant = z.object({
  organization_id: z.string(),
  tenant_id: z.string(),
  user_id: z.string(),
  /** Of the credential that it was confirmed with. */
  key_id: z.string(),
  role: z.enum(memberRoles),
  /** ISO 8601. */
  key_expires_at: z.string(),
  /** The hash of the key behind the credential; absent: a person, whose role the key ends with. */
  made_with: z.string().optional(),
});
export type DeviceGrant = z.infer<typeof grant>;

/** A program that asks to be let in, under the hash of its code; it is removed when it has its key. */
export const deviceLogin = z.discriminatedUnion('state', [
  z.object({ ...login, state: z.literal('waiting') }),
  z.object({ ...login, state: z.literal('confirmed'), grant }),
  z.object({ ...login, state: z.literal('denied') }),
]);
export type DeviceLogin = z.infer<typeof deviceLogin>;

/** Which login a person means, under the hash of the code that they type. */
export const deviceUserCode = z.object({
  v: z.literal(1),
  entity: z.literal('device_user_code'),
  /** Where the login lies. */
  login_hash: z.string(),
  /** Epoch milliseconds. */
  expires_at: z.number(),
  ttl: z.number(),
});

/** How often somebody has done something since the first time, up to an end. */
export const deviceCount = z.object({
  v: z.literal(1),
  entity: z.literal('device_count'),
  count: z.number(),
  /** When it is forgotten, in epoch milliseconds. */
  ends_at: z.number(),
  ttl: z.number(),
});
