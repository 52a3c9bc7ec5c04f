import { glob } from 'node:fs/promises';
import * as z from 'zod';

const lib = new URL('../../../lib/', import.meta.url);

/** Every schema that the store, the core, or a feature's items and store export: what reads stored items is among them. */
export async function exportedSchemas(): Promise<z.ZodType[]> {
  const files = glob(['{store,core}/**/*.ts', 'features/*/{items,store}.ts'], { cwd: lib });
  const exported: unknown[] = [];
  for await (const file of files)
    exported.push(...Object.values<unknown>(await import(new URL(file, lib).href)));
  return exported.filter((one) => one instanceof z.ZodType);
}
