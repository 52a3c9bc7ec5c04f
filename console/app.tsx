import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { Route, Router, Switch, useSearchParams } from 'wouter-preact';
import { Refusal } from '../lib/client/refusal.ts';
import { useFeed } from './data/feed.ts';
import { forgetAnswers } from './data/kept.ts';
import { BASE } from './data/place.ts';
import { queryClient } from './data/poll.ts';
import { useMe } from './data/queries.ts';
import { chooseTenant, chosenTenant, needsTenant, onSession, sessionNow } from './data/session.ts';
import { Deployments } from './pages/deployments.tsx';
import { Overview } from './pages/overview/overview.tsx';
import { ReplaceSession } from './pages/replace-session.tsx';
import { SignIn } from './pages/sign-in.tsx';
import { ButtonLink } from './ui/button.tsx';
import { Frame } from './ui/frame.tsx';
import { Lazy } from './ui/lazy.tsx';
import { Top } from './ui/page.tsx';
import { Empty, Problem, Skeleton } from './ui/states.tsx';

const pages = () => import('./pages/lazy.ts');
const configure = () => import('./pages/configure/lazy.ts');
const newDeployment = () => configure().then((page) => page.NewDeployment);
const deployment = () => pages().then((page) => page.DeploymentPage);
const revision = () => pages().then((page) => page.RevisionPage);
const tryPage = () => import('./pages/try/lazy.ts').then((page) => page.TryPage);
const settings = () => configure().then((page) => page.SettingsPage);
const admin = () => import('./pages/lazy-admin.ts');
const activity = () => admin().then((page) => page.Activity);
const topology = () => admin().then((page) => page.Topology);
const listeners = () => admin().then((page) => page.Listeners);
const listener = () => admin().then((page) => page.ListenerPage);
const connections = () => admin().then((page) => page.Connections);
const newIntegration = () => configure().then((page) => page.NewIntegration);
const integration = () => configure().then((page) => page.IntegrationPage);
const webhooks = () => admin().then((page) => page.Webhooks);
const webhook = () => admin().then((page) => page.WebhookPage);
const access = () => admin().then((page) => page.Access);
const audit = () => admin().then((page) => page.Audit);
const device = () => admin().then((page) => page.DevicePage);

/** A deployment with its tabs: one page, so that going from tab to tab leaves what stands around them. */
const DEPLOYMENT = /^\/deployments\/(?<id>[^/]+)(?:\/(?<tab>revisions|logs|metrics|compare))?$/;

/** The whole console, for who is signed in. */
export function App() {
  const [session, setSession] = useState(sessionNow);
  // Before anything else runs: another tab may tell who is signed in before this one has painted.
  useLayoutEffect(
    () =>
      onSession(() => {
        // What one person has seen, another does not.
        queryClient.clear();
        forgetAnswers();
        setSession(sessionNow());
      }),
    [],
  );
  return (
    <Router base={BASE}>
      {!session.isSignedIn && <SignIn problem={session.problem} />}
      {session.isSignedIn && (session.isAsked ? <ReplaceSession /> : <SignedIn />)}
    </Router>
  );
}

/** A credential for several tenants shows one of them: the one that a link names, or that was chosen. */
function useTenant(): boolean {
  const { data: me, error } = useMe();
  const [search] = useSearchParams();
  const asked = search.get('tenant');
  const wanted = [asked, chosenTenant(), me?.tenants[0]?.id].find((id) =>
    me?.tenants.some((each) => each.id === id),
  );
  const isNeeded = needsTenant() || (me !== undefined && me.tenants.length > 1);
  const isChosen = !isNeeded || (chosenTenant() !== null && (me === undefined || wanted === chosenTenant()));
  useEffect(() => {
    if (!isChosen && typeof wanted === 'string') chooseTenant(wanted);
  }, [isChosen, wanted]);
  // Of who was signed in before, or of whom it was taken meanwhile.
  const isRefused = error instanceof Refusal && error.status === 403 && chosenTenant() !== null;
  useEffect(() => {
    if (isRefused) chooseTenant(null);
  }, [isRefused]);
  return isChosen;
}

function SignedIn() {
  const me = useMe();
  const hasTenant = useTenant();
  const problem = useFeed();
  if (me.error !== null && me.data === undefined)
    return (
      <Frame>
        <main id="main">
          <Problem error={me.error} retry={() => void me.refetch()} />
        </main>
      </Frame>
    );
  if (!hasTenant)
    return (
      <Frame>
        <main id="main">
          <Skeleton />
        </main>
      </Frame>
    );
  return (
    <Frame problem={problem}>
      <Pages />
    </Frame>
  );
}

function Pages() {
  return (
    <Switch>
      <Route path="/" component={Overview} />
      <Route path="/activity">
        <Lazy load={activity} />
      </Route>
      <Route path="/topology">
        <Lazy load={topology} />
      </Route>
      <Route path="/deployments" component={Deployments} />
      <Route path="/deployments/new">
        <Lazy load={newDeployment} />
      </Route>
      <Route path={DEPLOYMENT}>
        {({ id = '', tab }) => <Lazy key={id} load={deployment} id={id} tab={tab} />}
      </Route>
      <Route path="/deployments/:id/try">{({ id }) => <Lazy key={id} load={tryPage} id={id} />}</Route>
      <Route path="/deployments/:id/settings">{({ id }) => <Lazy key={id} load={settings} id={id} />}</Route>
      <Route path="/deployments/:id/revisions/:revisionId">
        {({ id, revisionId }) => <Lazy key={revisionId} load={revision} id={id} revisionId={revisionId} />}
      </Route>
      <Route path="/listeners">
        <Lazy load={listeners} />
      </Route>
      <Route path="/listeners/:id">{({ id }) => <Lazy key={id} load={listener} id={id} />}</Route>
      <Route path="/connections">
        <Lazy load={connections} />
      </Route>
      <Route path="/connections/integrations/new">
        <Lazy load={newIntegration} />
      </Route>
      <Route path="/connections/integrations/:id">
        {({ id }) => <Lazy key={id} load={integration} id={id} />}
      </Route>
      <Route path="/webhooks">
        <Lazy load={webhooks} />
      </Route>
      <Route path="/webhooks/:id">{({ id }) => <Lazy key={id} load={webhook} id={id} />}</Route>
      <Route path="/access">
        <Lazy load={access} />
      </Route>
      <Route path="/audit">
        <Lazy load={audit} />
      </Route>
      <Route path="/device">
        <Lazy load={device} />
      </Route>
      <Route>
        <main id="main">
          <Top title="Page not found" />
          <Empty title="There is nothing at this address" picture="search">
            <ButtonLink href="/">Go to the overview</ButtonLink>
          </Empty>
        </main>
      </Route>
    </Switch>
  );
}
