/**
 * The tables of the queue, in the order in which they came. Servers of earlier builds run beside newer ones
 * for weeks, so a migration only adds: a table, a column with a default, an index. What is listed here never
 * changes.
 */
export const migrations: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: 'documents',
    // What is searched is a copy: jsonb refuses NUL and lone surrogates, and has bounds for numbers. A
    // document that still does not fit is not found by its content, and is stored as it is.
    sql: `
create function rt.searchable(document text) returns jsonb language plpgsql immutable parallel safe as $$
begin
  return document::jsonb;
exception when others then
  begin
    return regexp_replace(document,
      '(?<!\\\\)((?:\\\\\\\\)*)\\\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\1\\ufffd', 'g')::jsonb;
  exception when others then
    return null;
  end;
end $$;`,
  },
  {
    name: 'assistants, threads and runs',
    sql: `
create table rt.assistants (
  assistant_id uuid primary key,
  graph_id text not null,
  name text not null,
  description text,
  config text not null default '{}',
  context text not null default '{}',
  metadata text not null default '{}',
  metadata_search jsonb generated always as (rt.searchable(metadata)) stored,
  version int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);

-- waits: its last run ended at an interrupt or a breakpoint, so that the build alone goes on with it.
create table rt.threads (
  thread_id uuid primary key,
  status text not null default 'idle',
  metadata text not null default '{}',
  metadata_search jsonb generated always as (rt.searchable(metadata)) stored,
  config text not null default '{}',
  "values" text,
  values_search jsonb generated always as (rt.searchable("values")) stored,
  interrupts text not null default '{}',
  error text,
  state text,
  next text[] not null default '{}',
  waits boolean not null default false,
  graph_id text,
  build_id text,
  revision_id text,
  temporary boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  state_updated_at timestamptz
);
create index threads_metadata on rt.threads using gin (metadata_search jsonb_path_ops);
create index threads_by_status on rt.threads (status, updated_at);
create index threads_created on rt.threads (created_at);
create index threads_waiting on rt.threads (build_id) where waits;
create index threads_temporary on rt.threads (thread_id) where temporary;
create index threads_next on rt.threads (graph_id) where next <> '{}';

create table rt.runs (
  run_id uuid primary key,
  thread_id uuid not null references rt.threads on delete cascade,
  assistant_id uuid not null,
  graph_id text not null,
  build_id text not null,
  revision_id text not null,
  status text not null default 'pending',
  ready boolean not null,
  multitask_strategy text not null,
  kwargs text not null,
  metadata text not null default '{}',
  resumable boolean not null default false,
  attempt int not null default 0,
  failures int not null default 0,
  last_failure text,
  epoch bigint not null default 0,
  lease_owner uuid,
  lease_until timestamptz,
  cancel text,
  output text,
  error text,
  not_before timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  events_until timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  constraint runs_running_is_ready check (status <> 'running' or (ready and lease_owner is not null))
);
-- Whose turn it is on a thread: one run, pending or running. Two can never run at once.
create unique index runs_turn on rt.runs (thread_id) where ready;
create index runs_claimable on rt.runs (build_id, not_before) where ready and status = 'pending';
create index runs_of_thread on rt.runs (thread_id, created_at);
create index runs_live on rt.runs (thread_id, not_before, run_id) where status in ('pending', 'running');
-- Not by lease_until: a beat would then write the index too.
create index runs_running on rt.runs (lease_owner) where status = 'running';
create index runs_events_until on rt.runs (events_until) where events_until is not null;

create table rt.run_events (
  run_id uuid not null,
  seq bigint not null,
  event text not null,
  data text not null,
  primary key (run_id, seq)
);
create function rt.forget_events() returns trigger language plpgsql as $$
begin
  delete from rt.run_events where run_id = old.run_id;
  return null;
end $$;
create trigger runs_forget_events after delete on rt.runs for each row execute function rt.forget_events();`,
  },
  {
    name: 'servers and leases',
    sql: `
-- holds_lock: over a unix socket a server holds an advisory lock by its session; without it the server is dead.
create table rt.servers (
  owner uuid primary key,
  build_id text not null,
  revision_id text not null,
  holds_lock boolean not null,
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp()
);

-- The fence of a worker's saver, called in the transaction of each put. Until that ends, nobody takes the run over or
-- claims it; beats and ends go on, since they change no key.
create function rt.holds_lease(run uuid, owner uuid, run_epoch bigint) returns boolean language plpgsql as $$
begin
  perform 1 from rt.runs
    where run_id = run and lease_owner = owner and epoch = run_epoch and status = 'running' for key share;
  return found;
end $$;`,
  },
  {
    name: 'calls across builds',
    sql: `
create table rt.calls (
  call_id uuid primary key,
  build_id text not null,
  op text not null,
  args text not null,
  status text not null default 'pending',
  answer text,
  epoch bigint not null default 0,
  lease_owner uuid,
  lease_until timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index calls_claimable on rt.calls (build_id, created_at) where status = 'pending';
create index calls_running on rt.calls (lease_owner) where status = 'running';
create index calls_ended on rt.calls (updated_at) where status in ('done', 'failed');`,
  },
  {
    name: 'graphs of builds',
    sql: `
create table rt.build_graphs (
  build_id text not null,
  graph_id text not null,
  revision_id text not null,
  noted_at timestamptz not null default clock_timestamp(),
  primary key (build_id, graph_id)
);
create index build_graphs_by_graph on rt.build_graphs (graph_id, noted_at);`,
  },
  {
    name: 'checkpoints end with their thread',
    // The schema is the workers', which make it. Runs go first: a put that is under way is waited for.
    sql: `
create function rt.forget_checkpoints() returns trigger language plpgsql as $$
declare
  name text;
begin
  foreach name in array array['lg.checkpoints', 'lg.checkpoint_writes', 'lg.checkpoint_blobs'] loop
    if to_regclass(name) is not null then
      execute 'delete from ' || name || ' where thread_id = $1' using old.thread_id::text;
    end if;
  end loop;
  return null;
end $$;
create trigger threads_forget_checkpoints after delete on rt.threads
  for each row execute function rt.forget_checkpoints();`,
  },
];
