import type { OAuthDiscovery } from '../../oauth.ts';
import type { AddressRules } from '../addresses.ts';
import { inWords } from './failures.ts';
import { answersOf } from './http.ts';
import { registerAtMcp } from './mcp.ts';
import { serverWith } from './metadata.ts';

/** The port, for the addresses that the installation allows. */
export function openOAuthDiscovery(rules: AddressRules): OAuthDiscovery {
  const fetch = answersOf(rules);
  return {
    discover: (server, signal) => serverWith(fetch, server, signal),
    discoverMcp: (url, wish, signal) => inWords(() => registerAtMcp(fetch, url, wish, signal)),
  };
}
