import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { withGeneratedPart } from '../files/generated-part.ts';
import { overrides, table } from './rules.ts';

const root = new URL('../../../', import.meta.url);
export const lintFile = new URL('.oxlintrc.json', root);
export const pageFile = new URL('docs/architecture.md', root);

const overrideSchema = z.looseObject({ rules: z.record(z.string(), z.unknown()) });
const configSchema = z.looseObject({ overrides: z.array(overrideSchema) });

/** The linter's configuration with the import rules of today before all other overrides. */
export function configWithRules(): object {
  const config = configSchema.parse(JSON.parse(readFileSync(lintFile, 'utf8')));
  const others = config.overrides.filter(({ rules }) => !('no-restricted-imports' in rules));
  return { ...config, overrides: [...overrides(), ...others] };
}

/** docs/architecture.md with the import rules of today in its table. */
export const pageWithTable = (): string =>
  withGeneratedPart(readFileSync(pageFile, 'utf8'), 'import rules', table());
