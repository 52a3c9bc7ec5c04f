import * as z from 'zod';
import { isOrigin, listed } from '../contract/browser/cors.ts';
import { hostList } from '../contract/env.ts';
import { limitDefaults, type TenantLimits, WEBHOOKS_LIMIT_MAX } from '../contract/limits.ts';
import { type PrintedLevel, printedLevels } from '../listener/log.ts';
import { hostsWanted, readHosts } from '../serving/hosts.ts';
import { FAULT_SHARE_MAX, type Faults, parseFaults } from './faults.ts';

// What may stand in variables, each as a schema that says in words what is wrong.

type Bounds = { fallback?: number; min: number; max: number; whole: boolean };

/** A number written as text; an empty text is as good as none. */
export const number = ({ fallback, min, max, whole }: Bounds) =>
  z
    .string()
    .optional()
    .transform((text, context) => {
      if (text === undefined || text.trim() === '') return fallback;
      const value = Number(text);
      if (
        /^\d+(\.\d+)?$/.test(text.trim()) &&
        value >= min &&
        value <= max &&
        (!whole || Number.isInteger(value))
      ) {
        return value;
      }
      const kind = whole ? 'a whole number' : 'a number';
      context.addIssue({ code: 'custom', message: `must be ${kind} from ${min} to ${max}, not '${text}'` });
      return z.NEVER;
    });

export const DAY_SECONDS = 86_400;
export const port = { min: 0, max: 65_535, whole: true };
export const seconds = (fallback: number) => number({ fallback, min: 0.1, max: DAY_SECONDS, whole: false });

export const limit = (kind: keyof TenantLimits) =>
  number({
    fallback: limitDefaults[kind],
    min: 1,
    max: kind === 'webhooks' ? WEBHOOKS_LIMIT_MAX : 100_000,
    whole: true,
  });

export const logLevel = z
  .string()
  .optional()
  .transform((text, context): PrintedLevel => {
    if (text === undefined || text === '') return 'info';
    const found = printedLevels.find((level) => level === text.toLowerCase());
    if (found !== undefined) return found;
    context.addIssue({
      code: 'custom',
      message: `must be one of ${printedLevels.join(', ')}, not '${text}'`,
    });
    return z.NEVER;
  });

export const faults = z
  .string()
  .optional()
  .transform((text, context): Faults | undefined => {
    if (text === undefined || text.trim() === '') return undefined;
    const found = parseFaults(text);
    if (found !== undefined) return found;
    const wanted = `transaction-conflict=<share from 0 to ${FAULT_SHARE_MAX}>, optionally with ,seed=<number>`;
    context.addIssue({ code: 'custom', message: `must be ${wanted}, not '${text}'` });
    return z.NEVER;
  });

export const trimmed = z
  .string()
  .optional()
  .transform((given) => (given === undefined || given.trim() === '' ? undefined : given.trim()));

export const yesOrNo = z
  .string()
  .optional()
  .transform((given, context) => {
    if (given === undefined || given === '') return false;
    if (/^(true|false)$/i.test(given)) return given.toLowerCase() === 'true';
    context.addIssue({ code: 'custom', message: `must be true or false, not '${given}'` });
    return z.NEVER;
  });

/** Pages that a person serves from their own machine. */
const OWN_PAGES = ['http://localhost:*', 'http://127.0.0.1:*'];

export const corsOrigins = z
  .string()
  .optional()
  .transform((text, context): string[] => {
    const origins = listed(text ?? '');
    if (origins.length === 0) return OWN_PAGES;
    if (origins.length === 1 && origins[0] === 'none') return [];
    const wrong = origins.find((origin) => !isOrigin(origin.replace(/:\*$/, '')));
    if (wrong === undefined) return origins;
    const wanted =
      'none, *, or origins such as https://console.example or http://localhost:*, separated by commas';
    context.addIssue({ code: 'custom', message: `must be ${wanted}, not '${wrong}'` });
    return z.NEVER;
  });

export const publicHosts = z
  .string()
  .optional()
  .transform((given, context): string[] => {
    const { hosts: found, wrong } = readHosts(given ?? '');
    const [first] = wrong;
    if (first === undefined) return found;
    context.addIssue({ code: 'custom', message: `must be ${hostsWanted(first)}` });
    return z.NEVER;
  });

export const hosts = z
  .string()
  .optional()
  .transform((given, context): string[] => {
    const parsed = hostList.safeParse(given ?? '');
    if (parsed.success) return parsed.data;
    context.addIssue({
      code: 'custom',
      message: `must be host names without ports, separated by commas, not '${given}'`,
    });
    return z.NEVER;
  });
