import type { ServiceOutputTypes } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../../lib/store/table.ts';

/** Not scans: with those a test looks for itself at what is stored. */
const READS = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand']);

type Answer = { response: unknown; output: ServiceOutputTypes };

/**
 * What is read from a table that this client alone writes to is kept until its next write: the loop asks each
 * route dozens of times, and four of five of its reads are of the same keys and memberships. Which requests
 * are made, and what they are answered, stays the same.
 */
export function keepReads({ client }: Table): void {
  const kept = new Map<string, Promise<Answer>>();
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (!READS.has(commandName)) {
          kept.clear();
          // Once more at its end: a read in between may have seen what was there before.
          return next(args).finally(() => kept.clear());
        }
        const question = `${commandName} ${JSON.stringify(args.input)}`;
        const answer = kept.get(question) ?? next(args);
        kept.set(question, answer);
        const { response, output } = await answer;
        // Each reader has its own, to change as it likes.
        return { response, output: structuredClone(output) };
      },
    { step: 'initialize', name: 'keepReads' },
  );
}
