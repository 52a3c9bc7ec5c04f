import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Lets a server of a test listen on a free port of this machine, for whoever closes it; that ends its open
 * connections too.
 */
export async function onLoopback(
  server: Server,
): Promise<{ url: string; port: number; close(): Promise<void> }> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
