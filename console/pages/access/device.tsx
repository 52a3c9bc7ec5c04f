import { useMutation } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Answer } from '../../../lib/client/endpoints.ts';
import { Refusal } from '../../../lib/client/refusal.ts';
import { ask } from '../../data/api.ts';
import { useCan } from '../../data/permissions.ts';
import { useChange, useMe } from '../../data/queries.ts';
import { chosenTenant } from '../../data/session.ts';
import { codeOf, roleConsequences, wordsOfNoLogin } from '../../logic/device-login.ts';
import { roleWords } from '../../logic/roles.ts';
import { Facts } from '../../ui/facts.tsx';
import { ChoiceField, Field } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

type Login = Answer<'POST /v2/device/lookup'>;
type Given = Answer<'POST /v2/device/confirm'>;

/** Where who has typed `slipway login` in a terminal lets that program in, by the code that it shows. */
export function DevicePage() {
  const { data: me } = useMe();
  return (
    <Page title="Sign in a program" permissions={['self:read']}>
      {/* What was found out for one tenant is not approved for another one. */}
      <Turns key={chosenTenant() ?? me?.tenant_id} />
    </Page>
  );
}

type Turn =
  | { kind: 'code' }
  | { kind: 'asks'; code: string; login: Login }
  | { kind: 'approved'; given: Given }
  | { kind: 'denied' };

function Turns() {
  const [turn, setTurn] = useState<Turn>({ kind: 'code' });
  const again = () => setTurn({ kind: 'code' });
  if (turn.kind === 'code')
    return <CodeForm onFound={(code, login) => setTurn({ kind: 'asks', code, login })} />;
  if (turn.kind === 'approved') return <Approved given={turn.given} again={again} />;
  if (turn.kind === 'denied') return <Denied again={again} />;
  return (
    <Asks
      code={turn.code}
      login={turn.login}
      onApproved={(given) => setTurn({ kind: 'approved', given })}
      onDenied={() => setTurn({ kind: 'denied' })}
      again={again}
    />
  );
}

const NO_CODE = 'A code has eight letters, such as BCDF-GHJK. Type it as your terminal shows it.';
const TYPED_CHARACTERS_MAX = 32;

/** The code is typed: whoever could fill it in could have somebody let in what they have never begun. */
function CodeForm({ onFound }: { onFound: (code: string, login: Login) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const problemId = useId();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  useLayoutEffect(() => field.current?.focus(), []);
  const refuse = (text: string) => {
    setProblem(text);
    field.current?.select();
  };
  const find = useMutation({
    mutationFn: (code: string) => ask('POST /v2/device/lookup', { body: { user_code: code } }),
    // Nothing of a code is kept.
    gcTime: 0,
    onSuccess: (login, code) => onFound(code, login),
    onError: (error) => refuse(wordsOfNoLogin(error)),
  });
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (find.isPending) return;
        const code = codeOf(typed);
        setProblem(undefined);
        if (code === undefined) refuse(NO_CODE);
        else find.mutate(code);
      }}
    >
      <p>
        Run <code>slipway login</code> in a terminal and type the code that it shows. The program can then act
        as you.
      </p>
      <Field
        label="Code"
        of="user_code"
        hint="Never type a code that somebody sent you: they would be signed in as you."
      >
        <input
          ref={field}
          class="device-code"
          value={typed}
          maxLength={TYPED_CHARACTERS_MAX}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : problemId}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </Field>
      {problem !== undefined && (
        <p class="problem" role="alert" id={problemId}>
          {problem}
        </p>
      )}
      <div class="actions">
        <button type="submit" class="primary" disabled={find.isPending}>
          {find.isPending ? 'Asking…' : 'Continue'}
        </button>
      </div>
    </form>
  );
}

/** A part of the page that has come in place of another one: who reads by ear hears its title first. */
function Section({ title, children }: { title: string; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useLayoutEffect(() => heading.current?.focus(), []);
  return (
    <section class="device" aria-labelledby={id}>
      <h2 id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </section>
  );
}

type AsksProps = {
  code: string;
  login: Login;
  onApproved: (given: Given) => void;
  onDenied: () => void;
  again: () => void;
};

function Asks({ code, login, onApproved, onDenied, again }: AsksProps) {
  const [role, setRole] = useState(login.role);
  const approve = useChange('POST /v2/device/confirm', onApproved);
  const deny = useChange('POST /v2/device/deny', onDenied);
  const error = approve.error ?? deny.error;
  const isPending = approve.isPending || deny.isPending;
  const tenant = useTenantName(login.tenant_id);
  return (
    <Section title="Let this program in?">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          approve.mutate({ body: { user_code: code, role } });
        }}
      >
        <Claims login={login} tenant={tenant} />
        <ChoiceField
          label="Role"
          of="role"
          hint={roleConsequences[role]}
          value={role}
          set={setRole}
          choices={login.roles.map((each) => [each, roleWords[each]] as const)}
        />
        <p>
          It acts as you until its key ends or you run <code>slipway logout</code>. If you did not start this
          yourself just now, deny it.
        </p>
        {error !== null && <NotDone error={error} />}
        <div class="actions">
          {isOver(error) ? (
            <Again again={again} isNext />
          ) : (
            <>
              <button
                type="button"
                disabled={isPending}
                onClick={() => deny.mutate({ body: { user_code: code } })}
              >
                {deny.isPending ? 'Denying…' : 'Deny'}
              </button>
              <button type="submit" class="primary" disabled={isPending}>
                {approve.isPending ? 'Approving…' : `Approve as ${roleWords[role]}`}
              </button>
            </>
          )}
        </div>
      </form>
    </Section>
  );
}

/** `isNext`: it has come in place of what had the focus. */
function Again({ again, isNext = false }: { again: () => void; isNext?: boolean }) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (isNext) button.current?.focus();
  }, [isNext]);
  return (
    <button type="button" ref={button} onClick={again}>
      Type another code
    </button>
  );
}

/** What the program says of itself is a stranger's text: shown as such, and never led to. */
function Claims({ login, tenant }: { login: Login; tenant: string }) {
  const { data: me } = useMe();
  return (
    <Facts
      facts={[
        ['Calls itself (not verified)', <bdi class="claimed">“{login.client_name}”</bdi>],
        ['Request from', <code>{login.source_address}</code>],
        ['Requested', <Time at={login.created_at} />],
        ['Tenant', <bdi title={`Tenant ${login.tenant_id}`}>{tenant}</bdi>],
        ['Acts as', <bdi>{me?.user_id}</bdi>],
        ['Its key ends', new Date(login.key_expires_at).toLocaleString()],
      ]}
    />
  );
}

function useTenantName(id: string): string {
  const { data: me } = useMe();
  return me?.tenants.find((each) => each.id === id)?.name ?? id;
}

/** Whether asking again with this code cannot help. */
const isOver = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'device_login_not_found';

const NotDone = ({ error }: { error: unknown }) =>
  isOver(error) ? (
    <p class="problem" role="alert">
      This code has expired, or somebody else has answered. Nothing was changed. Run slipway login again.
    </p>
  ) : (
    <Problem error={error} />
  );

function Approved({ given, again }: { given: Given; again: () => void }) {
  const canSeeKeys = useCan('keys:read');
  const tenant = useTenantName(given.tenant_id);
  return (
    <Section title="Go back to your terminal">
      <p>
        It continues there in a few seconds, as {roleWords[given.role]} in the tenant {tenant} until{' '}
        {new Date(given.key_expires_at).toLocaleString()}.
      </p>
      <p>
        If your terminal does not continue, somebody else is signed in. End that at once:{' '}
        {canSeeKeys ? (
          <>
            revoke its key under <Link href="/access">Access</Link>.
          </>
        ) : (
          'have an administrator revoke its key.'
        )}
      </p>
      <p class="quiet">You can close this page.</p>
      <Again again={again} />
    </Section>
  );
}

const Denied = ({ again }: { again: () => void }) => (
  <Section title="The program was denied">
    <p>It cannot sign in with this code any more. If somebody sent you the code, tell your administrator.</p>
    <Again again={again} />
  </Section>
);
