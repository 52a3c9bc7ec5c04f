import { writeFileSync } from 'node:fs';
import { openApiText } from '../lib/contract/openapi/document.ts';
import { routes } from '../lib/contract/routes/index.ts';

writeFileSync(new URL('../docs/openapi.json', import.meta.url), openApiText(routes));
