import type { Command } from '../shell/command.ts';
import { api } from './api.ts';
import { audit } from './audit.ts';
import { chat } from './chat.ts';
import { completion } from './completion.ts';
import { config } from './config.ts';
import { consolePage } from './console.ts';
import { remove } from './delete.ts';
import { deploy } from './deploy.ts';
import { diff } from './diff.ts';
import { doctor } from './doctor.ts';
import { events } from './events.ts';
import { init } from './init.ts';
import { integrationCommands } from './integrations.ts';
import { interrupt } from './interrupt.ts';
import { keyCommands } from './keys.ts';
import { list } from './list.ts';
import { listenerCommands } from './listeners.ts';
import { logins } from './login.ts';
import { logs } from './logs.ts';
import { memberCommands } from './members.ts';
import { open } from './open.ts';
import { profiles } from './profiles.ts';
import { restart, rollback } from './redeploys.ts';
import { revisions } from './revisions.ts';
import { ruleCommands } from './rules.ts';
import { run } from './run.ts';
import { secrets } from './secrets.ts';
import { status } from './status.ts';
import { upgrade } from './upgrade.ts';
import { webhookCommands } from './webhooks.ts';
import { why } from './why.ts';

/** Every command for users, in the order of help. Parsing, help, completion and docs/cli.md are made of it. */
export const commands: readonly Command[] = [
  init,
  deploy,
  list,
  status,
  revisions,
  logs,
  why,
  open,
  rollback,
  restart,
  interrupt,
  remove,
  diff,
  ...secrets,
  ...config,
  ...keyCommands,
  ...ruleCommands,
  ...memberCommands,
  ...listenerCommands,
  ...integrationCommands,
  ...webhookCommands,
  events,
  audit,
  run,
  chat,
  api,
  ...logins,
  ...profiles,
  consolePage,
  doctor,
  upgrade,
  completion(() => commands),
];
