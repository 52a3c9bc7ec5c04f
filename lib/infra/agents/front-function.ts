import { AGENT_HEADER, PREFIX_HEADER, TRIAL_HEADER } from '../../contract/agent-front.ts';
import { ownRedirect } from '../../contract/own-redirects.ts';

/**
 * A client's own words of where it came from: CloudFront adds what it knows. `X-Forwarded-Proto` is not for
 * functions; the balancer writes it anew.
 */
const CLAIMS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host'];

/**
 * What CloudFront runs for each request: `/d/<tenant>/<name>/…` becomes `/…`, with headers that say which
 * agent is meant. A client's own headers of these names are dropped, so nobody reaches a set on trial, nor an
 * agent under another one's address. A worker's script must lie below its agent: the scope of one at
 * `/d/<tenant>/<name>` would be all agents of the tenant.
 */
export const frontFunction = (): string => `
function handler(event) {
  var request = event.request;
  var headers = request.headers;
  delete headers['${TRIAL_HEADER}'];
  delete headers['${AGENT_HEADER}'];
  delete headers['${PREFIX_HEADER}'];
${CLAIMS.map((name) => `  delete headers['${name}'];`).join('\n')}
  var found = /^\\/d\\/([a-z0-9-]+\\/[a-z0-9_-]+)(\\/.*)?$/.exec(request.uri);
  if (!found)
    return {
      statusCode: 404,
      statusDescription: 'Not Found',
      headers: { 'content-type': { value: 'application/json' } },
      body: '{"detail":"Agents answer at /d/<tenant>/<name>."}',
    };
  if (!found[2] && headers['service-worker'])
    return {
      statusCode: 403,
      statusDescription: 'Forbidden',
      headers: { 'content-type': { value: 'application/json' } },
      body: '{"detail":"A service worker lies below /d/<tenant>/<name>/."}',
    };
  headers['${AGENT_HEADER}'] = { value: found[1] };
  headers['${PREFIX_HEADER}'] = { value: '/d/' + found[1] };
  request.uri = found[2] || '/';
  return request;
}
`;

/**
 * What CloudFront runs for each answer below 400: a redirect of a server to itself leads to where clients
 * reach it. The request is the one that the client has sent, or what the function above has made of it.
 */
export const answerFunction = (): string => `
${ownRedirect.toString()}
function handler(event) {
  var request = event.request;
  var response = event.response;
  var status = response.statusCode;
  var location = response.headers.location;
  if (!location || status < 300 || status > 399 || status === 304) return response;
  var host = request.headers.host;
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
