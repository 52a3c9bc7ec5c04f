import type { RunBody } from '../../data/agent-run.ts';

/** What a run was begun with. */
export type SentBody = RunBody;

/** Begins a run; a thread that it makes is called by the title. */
export type RunIt = (title: string, body: SentBody) => void;
