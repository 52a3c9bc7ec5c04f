import { main } from '../lib/listener/main.ts';

process.exit(await main(process.argv.slice(2), process.env));
