import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';

/**
 * Whether an error says that something which this service calls throttles it, fails or does not answer, whichever client it comes from: to ask
 * again later may help. The clients have tried more than once by then.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // They look at attributes that errors of the SDK and of Node have, and take any other error too.
  const sdkError = error as Parameters<typeof isThrottlingError>[0];
  return isThrottlingError(sdkError) || isTransientError(sdkError) || isServerError(sdkError);
}
