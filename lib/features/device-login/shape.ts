import * as z from 'zod';
import { memberRoles } from '../../contract/roles.ts';
import { withoutNulls } from '../../contract/validation/json.ts';
import { textRule } from '../../contract/validation/problems.ts';

/** The login of a program: it shows a code, and a person who is signed in confirms it (RFC 8628). */

/** No vowels, so that no words come about, and nothing that looks like something else (RFC 8628 §6.1). */
export const USER_CODE_ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
export const USER_CODE_LENGTH = 8;
const CLIENT_NAME_LENGTH_MAX = 100;
const CODE_LENGTH_MAX = 128;

const notPrintable = (text: string): string | undefined =>
  /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(text) ? undefined : 'the name of a client is printable';

/** What a person compares with what they have begun: nothing that a page or a terminal would not show. */
const clientName = z
  .string()
  .min(1)
  .max(CLIENT_NAME_LENGTH_MAX)
  // JSON Schema's patterns have no classes of letters everywhere, so that the description has none of it.
  .superRefine(textRule(notPrintable));

/** `POST /v2/device/code`. */
export const createDeviceCodeBody = z.object({ client_name: clientName });

export const deviceCodeView = z.object({
  /** What the program asks for its key with; a secret. */
  device_code: z.string(),
  /** What the person types: `BCDF-GHJK`. */
  user_code: z.string(),
  /** Where; the code is in no address. */
  verification_uri: z.string(),
  /** Seconds. */
  expires_in: z.int(),
  /** Seconds between two requests for the key. */
  interval: z.int(),
});

/** `POST /v2/device/token`. */
export const createDeviceTokenBody = z.object({ device_code: z.string().min(1).max(CODE_LENGTH_MAX) });

/** The key, for the header `X-Api-Key`; it is shown this once. */
export const deviceTokenView = z.object({
  access_token: z.string(),
  token_type: z.literal('api_key'),
  tenant_id: z.guid(),
  role: z.enum(memberRoles),
  expires_at: z.string(),
});

/** However it was typed: in lower case, and with other separators or none. */
const userCode = z.string().min(1).max(CODE_LENGTH_MAX);

/** `POST /v2/device/lookup` and `POST /v2/device/deny`. */
export const deviceUserCodeBody = z.object({ user_code: userCode });

/** Who asks to be let in, and what the person who is signed in may give. */
export const deviceLoginView = z.object({
  /** What the program calls itself: nobody has checked it. */
  client_name: z.string(),
  /** The network address that it asked from. */
  source_address: z.string(),
  created_at: z.string(),
  /** When the code is over. */
  expires_at: z.string(),
  /** The tenant of this request, which alone the key would open. */
  tenant_id: z.guid(),
  /** The roles that may be given. */
  roles: z.array(z.enum(memberRoles)),
  /** The one that is given where none is chosen. */
  role: z.enum(memberRoles),
  /** When the key would end at the latest. */
  key_expires_at: z.string(),
});
export type DeviceLoginView = z.input<typeof deviceLoginView>;

/** `POST /v2/device/confirm`. */
export const confirmDeviceLoginBody = z
  .object({ user_code: userCode, role: z.enum(memberRoles).nullish() })
  .transform(withoutNulls);

export const confirmedDeviceLoginView = z.object({
  client_name: z.string(),
  tenant_id: z.guid(),
  role: z.enum(memberRoles),
  key_expires_at: z.string(),
});
