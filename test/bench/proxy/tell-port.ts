import type { Server } from 'node:http';

/** Listens, tells the program that started this one where, and ends with it. */
export function tellPort(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.(typeof address === 'object' ? address?.port : undefined);
  });
  process.once('disconnect', () => process.exit());
}
