import type { APIGatewayProxyEventV2 } from 'aws-lambda';

/**
 * The address clients reach us at, without a trailing slash: the configured one, else the gateway's own domain with its stage.
 * Never the Host header, which a client chooses. Plain http is believed of a loopback gateway only.
 */
export function baseUrl(event: APIGatewayProxyEventV2, configured: string | undefined): string {
  if (configured !== undefined && configured !== '') return configured.replace(/\/+$/, '');
  const { domainName, stage } = event.requestContext;
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(domainName);
  const scheme = isLoopback && event.headers['x-forwarded-proto'] === 'http' ? 'http' : 'https';
  return `${scheme}://${domainName}${stage === '$default' || stage === '' ? '' : `/${stage}`}`;
}
