import { once } from 'node:events';
import { createServer, request } from 'node:http';

/**
 * Answers on a port of 127.0.0.1 for an API that the emulator serves under a name which no resolver knows:
 * passes each request on with that name as its Host.
 */
export async function openGateway(apiUrl: string): Promise<{ baseUrl: string; close(): Promise<void> }> {
  const { host, port } = new URL(apiUrl);
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const passed = request(
      { host: '127.0.0.1', port, method, path, headers: { ...headers, host }, agent: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port was given.');
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
