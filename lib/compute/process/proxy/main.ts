import type { NumberedOrder, Told } from './messages.ts';
import { Orders } from './orders.ts';

/**
 * The process that passes requests on to agents, and does nothing else. Its listener says what it shall do,
 * and starts it again when it ends. It ends with its listener, however that ends.
 */

// Whoever stops a listener from its terminal stops this too; it has requests to end, as its listener says.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.once('disconnect', () => process.exit());

function tell(told: Told, handle?: unknown, onSent: () => void = () => undefined): void {
  if (!process.connected) return;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a server listens with can be sent as a server can
  process.send?.(told, handle as undefined, undefined, onSent);
}

const orders = new Orders(tell);

/** What listens without the server around it, which would accept connections where it arrives. */
function listeningHandle(): unknown {
  const { server } = orders;
  return server !== undefined && '_handle' in server ? server._handle : undefined;
}

async function carryOut({ number, order }: NumberedOrder, handle: unknown): Promise<void> {
  try {
    const said = await orders.carryOut(order, handle);
    const isFirst = order.kind === 'listen' && handle === undefined;
    tell({ number, ...said }, isFirst ? listeningHandle() : undefined, () => {
      if (order.kind === 'close') process.exit();
    });
  } catch (error) {
    tell({ number, problem: error instanceof Error ? error.message : String(error) });
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the listener sends nothing else
process.on('message', (message, handle) => void carryOut(message as NumberedOrder, handle));
