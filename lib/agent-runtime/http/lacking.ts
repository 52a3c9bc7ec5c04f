import { lacks } from './errors.ts';
import type { Handler } from './request.ts';

const lacking =
  (what: string): Handler =>
  async () => {
    throw lacks(what);
  };

/** What clients know and this server does not do yet. */
export const lackingRoutes: readonly (readonly [string, string, Handler])[] = [
  ['POST', '/assistants', lacking('assistants of clients')],
  ['PATCH', '/assistants/:assistant_id', lacking('assistants of clients')],
  ['DELETE', '/assistants/:assistant_id', lacking('assistants of clients')],
  ['POST', '/assistants/:assistant_id/versions', lacking('versions of assistants')],
  ['POST', '/assistants/:assistant_id/latest', lacking('versions of assistants')],
  ['POST', '/threads/prune', lacking('pruning of threads')],
  ['POST', '/threads/:thread_id/copy', lacking('copies of threads')],
  ['GET', '/threads/:thread_id/stream', lacking('streams of threads')],
  ['GET', '/threads/:thread_id/stream/events', lacking('the protocol of threads')],
  ['POST', '/threads/:thread_id/stream/events', lacking('the protocol of threads')],
  ['POST', '/threads/:thread_id/commands', lacking('the protocol of threads')],
  ['POST', '/runs/batch', lacking('batches of runs')],
  ['POST', '/runs/cancel', lacking('the cancellation of many runs')],
  ['POST', '/runs/crons', lacking('crons')],
  ['POST', '/runs/crons/search', lacking('crons')],
  ['POST', '/runs/crons/count', lacking('crons')],
  ['GET', '/runs/crons/:cron_id', lacking('crons')],
  ['PATCH', '/runs/crons/:cron_id', lacking('crons')],
  ['DELETE', '/runs/crons/:cron_id', lacking('crons')],
  ['POST', '/threads/:thread_id/runs/crons', lacking('crons')],
  ...['GET', 'POST', 'DELETE'].map((method) => [method, '/mcp', lacking('MCP')] as const),
  ['POST', '/a2a/:assistant_id', lacking('A2A')],
];
