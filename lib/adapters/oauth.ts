/** The addresses of an authorization server, and what is known of how it answers. */
export type OAuthServer = {
  authUrl: string;
  tokenUrl: string;
  issuer?: string;
  revocationUrl?: string;
  /** It names itself in each authorization response (RFC 9207): one without `iss` is not its own. */
  issInResponse?: boolean;
};

/** Ways to prove at the token endpoint which client asks. */
export const authMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;
export type AuthMethod = (typeof authMethods)[number];

/** This side as the authorization server knows it. */
export type OAuthClient = OAuthServer & {
  clientId: string;
  clientSecret?: string;
  authMethod: AuthMethod;
  /** What tokens are for (RFC 8707), sent with every request when it is there. */
  resource?: string;
};

/** What discovery and registration at an MCP server gave; PKCE is always used with it. */
export type RegisteredClient = OAuthClient & { resource: string };

export type TokenAnswer = {
  accessToken: string;
  refreshToken?: string;
  expiresInSeconds?: number;
  /** Absent: those that were asked for. */
  scopes?: string[];
  /** Whose account it is, in the provider's words, for people to read. */
  accountLabel?: string;
};

/**
 * `invalid_grant`: consent is needed again; `refused`: the provider said no for good; `transient`: try later
 * (5xx, 429, timeout, network); `hostile`: an answer that breaks the rules, of which nothing is believed.
 */
export type OAuthErrorKind = 'invalid_grant' | 'refused' | 'transient' | 'hostile';

/**
 * The provider did not give what was asked for. `message` is fit for people; of what the provider said it
 * holds the `error` code at most.
 */
export class OAuthError extends Error {
  readonly kind: OAuthErrorKind;
  /** The `error` code of the provider's answer, if it gave one (RFC 6749 §5.2). */
  readonly code: string | undefined;

  constructor(kind: OAuthErrorKind, message: string, code?: string) {
    super(message);
    this.name = 'OAuthError';
    this.kind = kind;
    this.code = code;
  }
}

export type AuthorizationRequest = {
  redirectUri: string;
  scopes: readonly string[];
  state: string;
  /** `BASE64URL(SHA256(verifier))`; absent: no PKCE. */
  challenge?: string;
  challengeMethod?: 'S256';
  /** More parameters; they never replace the protocol's own. */
  params: Record<string, string>;
};

export type CodeExchange = {
  /** All parameters of the authorization response, as they came. */
  callback: URLSearchParams;
  /** What was sent as `state`. */
  state: string;
  redirectUri: string;
  verifier?: string;
};

/**
 * The client's half of OAuth 2.0. Everything that is asked for goes through the guard of outgoing requests
 * (lib/adapters/outbound), and ends with `signal`. What fails throws OAuthError.
 */
export type OAuth = {
  /** Where the person's browser is sent for consent. */
  authorizationUrl(client: OAuthClient, request: AuthorizationRequest): string;
  /**
   * Checks `state` and `iss` of an authorization response, and exchanges its code. `error=` in it throws
   * `refused` with that code.
   */
  exchange(client: OAuthClient, request: CodeExchange, signal: AbortSignal): Promise<TokenAnswer>;
  /** An answer without a refresh token means that the old one goes on. */
  refresh(client: OAuthClient, refreshToken: string, signal: AbortSignal): Promise<TokenAnswer>;
  /** Does nothing when the provider has no revocation endpoint (RFC 7009). */
  revoke(
    client: OAuthClient,
    token: string,
    hint: 'refresh_token' | 'access_token',
    signal: AbortSignal,
  ): Promise<void>;
};

/**
 * What can be found out of authorization servers, by the same guard; only who makes a provider known asks for
 * it.
 */
export type OAuthDiscovery = {
  /**
   * Metadata that names exactly these two endpoints (RFC 8414, OpenID Connect discovery); undefined when
   * there is none. Never throws.
   */
  discover(
    server: Pick<OAuthServer, 'authUrl' | 'tokenUrl'>,
    signal: AbortSignal,
  ): Promise<OAuthServer | undefined>;
  /** Finds the authorization server of an MCP server (RFC 9728) and registers a client there (RFC 7591). */
  discoverMcp(
    mcpServerUrl: string,
    client: { redirectUri: string; name: string },
    signal: AbortSignal,
  ): Promise<RegisteredClient>;
};
