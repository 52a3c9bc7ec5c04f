import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';

/**
 * Whether an error says that something which this service calls throttles it, fails or does not answer,
 * whichever client it comes from: to ask again later may help. The clients have tried more than once by then.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the three functions check each attribute that they read
  const sdkError = error as Parameters<typeof isThrottlingError>[0];
  return isThrottlingError(sdkError) || isTransientError(sdkError) || isServerError(sdkError);
}
