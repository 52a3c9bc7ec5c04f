import {
  AuthorizationResponseError,
  OperationProcessingError,
  UnsupportedOperationError,
} from 'oauth4webapi';
import { OAuthError } from '../../oauth.ts';
import { AddressRefused } from '../guarded-fetch.ts';

/** What RFC 6749 allows in an error code; no more of it is passed on than that. */
const CODE = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,64}$/;
/** Of the codes these mean that the same request may succeed later. */
const LATER = new Set(['temporarily_unavailable', 'server_error', 'slow_down']);

/** The refusal that an `error` code stands for. */
export function oauthRefusalOf(code: string): OAuthError {
  if (!CODE.test(code)) return new OAuthError('refused', 'The provider refused, in words that mean nothing.');
  if (code === 'invalid_grant')
    return new OAuthError('invalid_grant', 'The provider needs consent again (invalid_grant).', code);
  if (code === 'access_denied') return new OAuthError('refused', 'Access was denied there.', code);
  return LATER.has(code)
    ? new OAuthError('transient', `The provider cannot answer at the moment (${code}).`, code)
    : new OAuthError('refused', `The provider refused: ${code}.`, code);
}

export const hostile = (what: string): OAuthError =>
  new OAuthError('hostile', `The provider's answer breaks the rules: ${what}.`);

export const transient = (what: string): OAuthError =>
  new OAuthError('transient', `The provider cannot answer at the moment: ${what}.`);

/**
 * An error of the guard, the network or the library in the port's words. Its message quotes nothing that the
 * provider sent.
 */
export function oauthFailureOf(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error;
  if (error instanceof AddressRefused) return hostile(error.message);
  if (error instanceof AuthorizationResponseError) return oauthRefusalOf(error.error);
  if (error instanceof OperationProcessingError || error instanceof UnsupportedOperationError)
    return hostile(plainReason(error));
  if (error instanceof DOMException && (error.name === 'TimeoutError' || error.name === 'AbortError'))
    return transient('it did not answer in time');
  return transient('it could not be reached');
}

/** The library's messages name the rule; what was found is in their causes, and stays there. */
const plainReason = ({ message }: Error): string => message.replaceAll('"', "'").replace(/\.$/, '');

/** What `work` gives; what it throws is an OAuthError. */
export async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw oauthFailureOf(error);
  }
}
