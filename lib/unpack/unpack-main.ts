import { answerFor } from './answer.ts';

// The child of `unpackArchive`.
process.stdout.write(`${await answerFor(process.argv[2] ?? '')}\n`);
