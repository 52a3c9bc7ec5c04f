import type { Answer, Ask } from '../../lib/client/endpoints.ts';
import { wordsIn } from './listener.ts';

export type Provider = Answer<'GET /v2/auth/providers'>[number];

export const authMethods = [
  ['client_secret_post', 'Secret in the body'],
  ['client_secret_basic', 'Secret in a header'],
  ['none', 'No secret (PKCE alone)'],
] as const;
export const bindings = [
  ['browser', 'The browser that began'],
  ['strict', 'The person who began, by a code'],
] as const;

/** A provider as it is edited; `secret` is what is typed, never what is stored. */
export type ProviderValues = {
  id: string;
  name: string;
  clientId: string;
  secret: string;
  authUrl: string;
  tokenUrl: string;
  method: (typeof authMethods)[number][0];
  usesPkce: boolean;
  redirects: string;
  mcpServer: string;
  binding: Provider['user_binding'];
};

/** A provider as the form shows it, or an empty one. */
export const valuesOf = (provider?: Provider): ProviderValues => ({
  id: provider?.provider_id ?? '',
  name: provider?.name ?? '',
  clientId: provider?.client_id ?? '',
  secret: '',
  authUrl: provider?.auth_url ?? '',
  tokenUrl: provider?.token_url ?? '',
  method:
    authMethods.find(([each]) => each === provider?.token_endpoint_auth_method)?.[0] ?? 'client_secret_post',
  usesPkce: provider?.uses_pkce ?? true,
  redirects: provider?.allowed_redirect_uris.join('\n') ?? '',
  mcpServer: provider?.mcp_server_url ?? '',
  binding: provider?.user_binding ?? 'browser',
});

/** What creates or changes a provider. A secret that is not typed stays as it is stored. */
export const bodyOf = (values: ProviderValues): Ask<'POST /v2/auth/providers'>['body'] => ({
  provider_id: values.id.trim(),
  name: values.name.trim(),
  client_id: values.clientId.trim(),
  auth_url: values.authUrl.trim(),
  token_url: values.tokenUrl.trim(),
  ...(values.secret !== '' && values.method !== 'none' && { client_secret: values.secret }),
  token_endpoint_auth_method: values.method,
  uses_pkce: values.usesPkce,
  allowed_redirect_uris: wordsIn(values.redirects),
  ...(values.mcpServer.trim() !== '' && { mcp_server_url: values.mcpServer.trim() }),
  user_binding: values.binding,
});

/** What differs from what is stored: a change of the addresses takes the secret along, others need not. */
export function changesOf(before: Provider, values: ProviderValues) {
  const { provider_id: _, ...after } = bodyOf(values);
  const { provider_id: __, ...stored } = bodyOf(valuesOf(before));
  const old: Record<string, unknown> = stored;
  return Object.fromEntries(
    Object.entries(after).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(old[field])),
  );
}

/** The redirect URI to register at the provider. */
export const redirectUri = (providerId: string, url: string): string =>
  `${url}/v2/auth/callback/${encodeURIComponent(providerId)}`;
