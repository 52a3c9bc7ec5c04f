import { registerHooks } from 'node:module';

/**
 * What aws-local-stepfunctions imports and nothing here uses: the client of Lambda and its credentials, for a
 * state without a handler of ours (all have one), and the validator, which we switch off. They are nine
 * tenths of what loading it costs.
 */
const UNUSED = new Set(['@aws-sdk/client-lambda', '@aws-sdk/credential-providers', 'asl-validator']);
const IMPORTER = '/node_modules/aws-local-stepfunctions/';

/** Stands in for all of them, and fails loudly when it is used after all. */
const standIn = {
  url: 'slipway:unused',
  source: `
    const notHere = () => { throw new Error('It is left out of the embedded Step Functions.'); };
    export { notHere as InvokeCommand, notHere as LambdaClient, notHere as default, notHere as fromCognitoIdentityPool };
  `,
};

/** Loads aws-local-stepfunctions without them; whoever else imports them gets them. */
export async function withoutUnused<Module>(load: () => Promise<Module>): Promise<Module> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      UNUSED.has(specifier) && context.parentURL?.includes(IMPORTER) === true
        ? { url: standIn.url, format: 'module', shortCircuit: true }
        : next(specifier, context),
    load: (url, context, next) =>
      url === standIn.url
        ? { source: standIn.source, format: 'module', shortCircuit: true }
        : next(url, context),
  });
  try {
    return await load();
  } finally {
    hooks.deregister();
  }
}
