import { AGENT_HEADER, PREFIX_HEADER, TRIAL_HEADER } from '../../contract/agent-front.ts';

/**
 * What CloudFront runs for each request: `/d/<tenant>/<name>/…` becomes `/…`, with headers that say which
 * agent is meant. A client's own headers of these names are dropped, so nobody reaches a set on trial, nor an
 * agent under another one's address.
 */
export const frontFunction = (): string => `
function handler(event) {
  var request = event.request;
  var headers = request.headers;
  delete headers['${TRIAL_HEADER}'];
  delete headers['${AGENT_HEADER}'];
  delete headers['${PREFIX_HEADER}'];
  var found = /^\\/d\\/([a-z0-9-]+\\/[a-z0-9_-]+)(\\/.*)?$/.exec(request.uri);
  if (!found)
    return {
      statusCode: 404,
      statusDescription: 'Not Found',
      headers: { 'content-type': { value: 'application/json' } },
      body: '{"detail":"Agents answer at /d/<tenant>/<name>."}',
    };
  headers['${AGENT_HEADER}'] = { value: found[1] };
  headers['${PREFIX_HEADER}'] = { value: '/d/' + found[1] };
  request.uri = found[2] || '/';
  return request;
}
`;
