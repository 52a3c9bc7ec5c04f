/** The largest input or output of an execution, of a state, or of a task's answer. */
const PAYLOAD_BYTES_MAX = 256 * 1024;
const ERROR_NAME_LENGTH_MAX = 256;
const CAUSE_LENGTH_MAX = 32_768;

/** An error as Step Functions names it: `name` is what Retry and Catch match, `message` becomes the Cause. */
export function namedError(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

/**
 * The JSON text of a value that Step Functions is given. Throws `errorName` when it is larger than Step
 * Functions takes.
 */
export function payloadText(value: unknown, errorName: string): string {
  const text = JSON.stringify(value ?? null);
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > PAYLOAD_BYTES_MAX) {
    throw namedError(errorName, `${sizeBytes} bytes exceed the maximum of ${PAYLOAD_BYTES_MAX} bytes`);
  }
  return text;
}

/**
 * What goes into a state or comes out of it; too much ends the execution past every Retry and Catch, as on
 * AWS.
 */
export function stateData(value: unknown): unknown {
  try {
    return JSON.parse(payloadText(value, 'States.DataLimitExceeded'));
  } catch (error) {
    throw Object.assign(error instanceof Error ? error : new Error(String(error)), {
      isRetryable: false,
      isCatchable: false,
    });
  }
}

/** The error of a Lambda function that threw: its class as name, a JSON text as cause. */
export function functionError(thrown: unknown): Error {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const trace = (error.stack ?? '').split('\n');
  return namedError(
    error.name,
    JSON.stringify({ errorType: error.name, errorMessage: error.message, trace }),
  );
}

/** Throws as SendTaskFailure does for an error or cause that is too long. */
export function checkFailure(failure: { name: string; cause: string }): void {
  if (failure.name.length > ERROR_NAME_LENGTH_MAX)
    throw namedError('ValidationException', 'error is too long');
  if (failure.cause.length > CAUSE_LENGTH_MAX) throw namedError('ValidationException', 'cause is too long');
}
