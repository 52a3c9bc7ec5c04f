import { main } from '../lib/embedded/main.ts';

process.exit(
  await main(
    process.env,
    (line) => console.log(line),
    (line) => console.error(line),
  ),
);
