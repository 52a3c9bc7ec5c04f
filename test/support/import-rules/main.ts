import { writeFileSync } from 'node:fs';
import { configWithRules, lintFile, pageFile, pageWithTable } from './files.ts';

// Writes the import rules into the linter's configuration and docs/architecture.md. `npm run import-rules`
// formats them afterwards.
writeFileSync(lintFile, JSON.stringify(configWithRules()));
writeFileSync(pageFile, pageWithTable());
