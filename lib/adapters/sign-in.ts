/** The console's client at the issuer of bearer tokens; undefined: people sign in with keys alone. */
export type SignIn =
  | {
      issuer: string;
      clientId: string;
      /** Whom tokens must be for. */
      audience: string;
      /** Where it is not on the issuer's own host. */
      tokenEndpoint: string | undefined;
    }
  | undefined;
