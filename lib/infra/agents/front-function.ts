import { AGENT_HEADER, HOST_LABEL, PREFIX_HEADER, TRIAL_HEADER } from '../../contract/agent-front.ts';
import { ownRedirect } from '../../contract/own-redirects.ts';
import { bitsOf, prefixOf, type Range } from './allowed-addresses.ts';

/** What the front's functions are made of. */
export type FrontSettings = {
  /** Under which each agent has a host of its own. */
  agentsDomain?: string | undefined;
  /** Who may ask agents; undefined: anybody. */
  agentAllowedCidrs?: readonly Range[] | undefined;
};

/** CloudFront takes 10 KB of a function. */
export const FUNCTION_BYTES_MAX = 10_000;

/**
 * A client's own words of where it came from: CloudFront adds what it knows. `X-Forwarded-Proto` is not for
 * functions; the balancer writes it anew.
 */
const CLAIMS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host'];

/** An answer of the function itself. */
const refusal = (status: 403 | 404, detail: string): string => `{
      statusCode: ${status},
      statusDescription: '${status === 403 ? 'Forbidden' : 'Not Found'}',
      headers: { 'content-type': { value: 'application/json' } },
      body: ${JSON.stringify(JSON.stringify({ detail }))},
    }`;

const escaped = (domain: string): string => domain.replaceAll('.', '\\.');

/** Groups: the name, and the tenant. */
const hostPattern = (domain: string): string => `/^${HOST_LABEL}\\.${escaped(domain)}$/`;

/** Lets nobody in but from these ranges. Ranges and addresses are compared by their bits. */
const entrance = (ranges: readonly Range[]): string => `
${bitsOf.toString()}
var allowed = ${JSON.stringify([...new Set(ranges.map(prefixOf))])};
function isAllowed(address) {
  var bits = bitsOf(address);
  return allowed.some(function (prefix) { return bits.lastIndexOf(prefix, 0) === 0; });
}
`;

const hosts = (domain: string): string => `
  var host = (headers.host ? headers.host.value : '').toLowerCase();
  var own = ${hostPattern(domain)}.exec(host);
  if (own) {
    headers['${AGENT_HEADER}'] = { value: own[2] + '/' + own[1] };
    return request;
  }
  if (/\\.${escaped(domain)}$/.test(host))
    return ${refusal(404, `Agents answer at https://<name>-<tenant>.${domain}.`)};`;

/**
 * What CloudFront runs for each request. At the host of an agent nothing but headers changes; at any other
 * host `/d/<tenant>/<name>/…` becomes `/…`. Headers say which agent is meant. A client's own headers of these
 * names are dropped, so nobody reaches a set on trial, nor an agent under another one's address. At paths all
 * agents share an origin, so a worker's script must lie below its agent: the scope of one at
 * `/d/<tenant>/<name>` would be all agents of the tenant.
 */
export const frontFunction = ({ agentsDomain, agentAllowedCidrs }: FrontSettings): string => `
${agentAllowedCidrs === undefined ? '' : entrance(agentAllowedCidrs)}function handler(event) {
  var request = event.request;
  var headers = request.headers;
${
  agentAllowedCidrs === undefined
    ? ''
    : `  if (!isAllowed(event.viewer.ip))
    return ${refusal(403, 'Agents do not answer to this address.')};
`
}  delete headers['${TRIAL_HEADER}'];
  delete headers['${AGENT_HEADER}'];
  delete headers['${PREFIX_HEADER}'];
${CLAIMS.map((name) => `  delete headers['${name}'];`).join('\n')}
${agentsDomain === undefined ? '' : hosts(agentsDomain)}
  var found = /^\\/d\\/([a-z0-9-]+\\/[a-z0-9_-]+)(\\/.*)?$/.exec(request.uri);
  if (!found)
    return ${refusal(404, 'Agents answer at /d/<tenant>/<name>.')};
  if (!found[2] && headers['service-worker'])
    return ${refusal(403, 'A service worker lies below /d/<tenant>/<name>/.')};
  headers['${AGENT_HEADER}'] = { value: found[1] };
  headers['${PREFIX_HEADER}'] = { value: '/d/' + found[1] };
  request.uri = found[2] || '/';
  return request;
}
`;

/** At the host of an agent its server's paths are the client's, and only its address is not: it knows no https. */
const hostRedirects = (domain: string): string => `
  if (host && ${hostPattern(domain)}.test(host.value.toLowerCase())) {
    location.value = ownRedirect(location.value, {
      prefix: '',
      clientPath: request.uri,
      serverPath: request.uri,
      hosts: [],
      inner: [host.value],
      isSecure: true,
    });
    return response;
  }`;

/**
 * What CloudFront runs for each answer below 400: a redirect of a server to itself leads to where clients
 * reach it. The request is the one that the client has sent, or what the function above has made of it.
 */
export const answerFunction = ({ agentsDomain }: FrontSettings): string => `
${ownRedirect.toString()}
function handler(event) {
  var request = event.request;
  var response = event.response;
  var status = response.statusCode;
  var location = response.headers.location;
  if (!location || status < 300 || status > 399 || status === 304) return response;
  var host = request.headers.host;${agentsDomain === undefined ? '' : hostRedirects(agentsDomain)}
  var prefix = request.headers['${PREFIX_HEADER}'];
  var found = /^(\\/d\\/[a-z0-9-]+\\/[a-z0-9_-]+)(\\/.*)?$/.exec(request.uri);
  if (!prefix && !found) return response;
  location.value = ownRedirect(location.value, {
    prefix: prefix ? prefix.value : found[1],
    clientPath: prefix ? prefix.value + request.uri : request.uri,
    serverPath: prefix ? request.uri : found[2] || '/',
    hosts: host ? [host.value] : [],
    inner: [],
    isSecure: true,
  });
  return response;
}
`;
