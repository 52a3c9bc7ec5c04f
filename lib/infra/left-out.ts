import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import { routes } from '../contract/routes.ts';

/** A module that functions never use, though something they use asks for it. What stands in for it fails loudly when it is used after all. */
type LeftOut = { asked: RegExp; importer: RegExp; why: string; contents: string };

const never = (what: string): string => `() => { throw new Error('${what} is left out of the bundle'); }`;

const leftOut: LeftOut[] = [
  {
    asked: /json-schema-processors\.js$/,
    importer: /zod\/v4\/classic\/schemas\.js$/,
    why: 'Schemas are written down as JSON Schema by the documentation only: 18 KB with the next',
    contents: 'module.exports = {};',
  },
  {
    asked: /to-json-schema\.js$/,
    importer: /zod\/v4\/classic\/schemas\.js$/,
    why: 'as above',
    contents: `module.exports = {
      createToJSONSchemaMethod: () => ${never('toJSONSchema')},
      createStandardJSONSchemaMethod: () => ${never('JSON Schema')},
    };`,
  },
  {
    asked: /^@aws-sdk\/endpoint-cache$/,
    importer: /middleware-endpoint-discovery/,
    why: 'Endpoint discovery of DynamoDB is off unless asked for: 8 KB',
    contents: 'exports.EndpointCache = class {};',
  },
  {
    asked: /^@smithy\/core\/event-streams$/,
    importer: /HttpProtocol\.js$/,
    why: 'No operation that functions call streams events: 10 KB',
    contents: `exports.EventStreamSerde = ${never('EventStreamSerde')};`,
  },
  {
    asked: /\/Sha256Js$/,
    importer: /sha256\/Sha256Node\.js$/,
    why: 'Node has its own SHA-256; the one in JavaScript is for what has none: 3 KB',
    contents: `exports.Sha256Js = ${never('Sha256Js')};`,
  },
  {
    asked: /\/DefaultRateLimiter$/,
    importer: /util-retry\/AdaptiveRetryStrategy\.js$/,
    why: 'Clients try again in the standard mode; the adaptive one has to be asked for: 3 KB',
    contents: `exports.DefaultRateLimiter = ${never('DefaultRateLimiter')};`,
  },
  {
    asked: /contract\/routes\.ts$/,
    importer: /functions\/api\/fallback\.ts$/,
    why: 'What no route took needs to know methods and paths of all routes, and none of their schemas: 130 KB',
    contents: `export const routes = ${JSON.stringify(routes.map(({ method, path }) => ({ method, path })))};`,
  },
];

/**
 * Calls that only make something, of our own modules. What is declared with them and not used is dropped, but the bundler sees that in the
 * module of the function alone: at the call it has to be said again. Without it each function has the rows and schemas of all of its resource, 10 KB.
 */
const making = /(?<![\w.$])(?:once|route)\(/g;

/** Replaces what functions never use, for a smaller bundle that starts sooner. */
export const withoutUnused: Plugin = {
  name: 'without-unused',
  setup(build) {
    for (const [index, { asked, importer }] of leftOut.entries()) {
      build.onResolve({ filter: asked }, (args) =>
        importer.test(args.importer) ? { path: String(index), namespace: 'left-out' } : undefined,
      );
    }
    build.onLoad({ filter: /[\\/]lib[\\/](?:contract|store|adapters|app)[\\/].*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(making, '/* @__PURE__ */ $&'),
      loader: 'ts',
    }));
    // A client tells its version, and for that it would bring along its whole package.json: 2 KB.
    build.onLoad({ filter: /@aws-sdk[\\/]client-[\w-]+[\\/]package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string }; // every package has one
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
    build.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({
      contents: leftOut[Number(path)]?.contents ?? '',
    }));
  },
};
