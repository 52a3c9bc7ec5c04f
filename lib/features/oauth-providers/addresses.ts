import { type AddressRules, addressProblem, plainProblem } from '../../adapters/outbound/addresses.ts';
import { ValidationError, type ValidationItem } from '../../contract/errors.ts';

/** The fields of a request that name addresses. */
type Addresses = {
  auth_url?: string | undefined;
  token_url?: string | undefined;
  mcp_server_url?: string | undefined;
  allowed_redirect_uris?: string[] | undefined;
};

const asked = ['auth_url', 'token_url', 'mcp_server_url'] as const;

const item = (loc: (string | number)[], reason: string, input: string): ValidationItem => ({
  loc: ['body', ...loc],
  type: 'value_error',
  msg: `Value error, ${reason}`,
  input,
});

/** Throws 422 with every address that this installation does not go to, or send people to. */
export function checkAddresses(body: Addresses, rules: AddressRules): void {
  const found = asked.flatMap((field): ValidationItem[] => {
    const text = body[field];
    const problem = text === undefined || text === '' ? undefined : addressProblem(new URL(text), rules);
    return problem === undefined || text === undefined ? [] : [item([field], problem, text)];
  });
  for (const [index, text] of (body.allowed_redirect_uris ?? []).entries()) {
    // A browser goes there, not this side.
    const problem = plainProblem(new URL(text), rules);
    if (problem !== undefined) found.push(item(['allowed_redirect_uris', index], problem, text));
  }
  if (found.length > 0) throw new ValidationError(found);
}
