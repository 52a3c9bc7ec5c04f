import { procSource } from './proc.ts';
import { psSource } from './ps.ts';
import type { ProcessSource } from './row.ts';

/** With the value `ps`, processes and ports are read as on platforms without /proc. For tests. */
export const SOURCE_VARIABLE = 'PROCESSES_READ_WITH';

/** Whether processes and ports are read from /proc; elsewhere `ps` and `lsof` tell of them. */
export const hasProc = (): boolean => process.platform === 'linux' && process.env[SOURCE_VARIABLE] !== 'ps';

/** Where this platform tells of its processes. */
export const processSource = (): ProcessSource => (hasProc() ? procSource : psSource);
