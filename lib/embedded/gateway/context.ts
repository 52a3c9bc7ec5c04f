import type { Context } from 'aws-lambda';

const notSupported = () => {
  throw new Error('callbacks of old are not supported: return a promise');
};

/** What Lambda passes beside an event: a function may run as long as API Gateway waits for it. */
export function lambdaContext(functionName: string, timeoutMilliseconds: number, requestId: string): Context {
  const deadline = Date.now() + timeoutMilliseconds;
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
    memoryLimitInMB: '512',
    awsRequestId: requestId,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'embedded',
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    done: notSupported,
    fail: notSupported,
    succeed: notSupported,
  };
}
