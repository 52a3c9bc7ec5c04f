import { useEffect, useState } from 'preact/hooks';
import { useLocation, useSearchParams } from 'wouter-preact';
import type { Deployment } from '../../../lib/client/endpoints.ts';
import { numberOf } from '../../../lib/client/revision.ts';
import type { AgentPlace } from '../../data/agent.ts';
import { findServer } from '../../data/find-server.ts';
import { useCan } from '../../data/permissions.ts';
import { useDeployment } from '../../data/queries.ts';
import { isKind, type Kind, kindByRuntime, kinds, kindTitles } from '../../logic/chat/kind.ts';
import { studioAddress } from '../../logic/chat/reach.ts';
import { Button } from '../../ui/button.tsx';
import { externalLink, keyRound } from '../../ui/icons.ts';
import { Menu } from '../../ui/menu.tsx';
import { Empty, Skeleton } from '../../ui/states.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import { useTitle } from '../../ui/title.ts';
import { DeploymentFrame } from '../deployment/frame.tsx';
import { Chat } from './chat.tsx';
import type { Panel } from './columns.tsx';
import { HeadersDialog } from './headers-dialog.tsx';
import { McpTools } from './mcp.tsx';
import { RequestForm } from './request.tsx';
import { Trouble } from './trouble.tsx';
import { useAnswer } from './use-answer.ts';

/** Speaks with what a deployment serves: a chat with an agent, tools of an MCP server, or plain requests. */
export function TryPage({ id }: { id: string }) {
  const { data } = useDeployment(id);
  const canWrite = useCan('deployments:write');
  const [search, setSearch] = useSearchParams();
  const [panel, setPanel] = useState<Panel>();
  const [isAsking, setAsking] = useState(false);
  const [version, setVersion] = useState(0);
  const [found, setFound] = useState<Kind>();
  const wanted = search.get('as');
  const kind = isKind(wanted) ? wanted : data && kindByRuntime(data.runtime_resolved);
  const choose = (next: Kind) => setSearch({ as: next });
  const openHeaders = () => setAsking(true);
  const url = data?.url ?? null;
  const isOpen = url !== null && canWrite === true;
  useTitle(`Try ${data?.display_name ?? data?.name ?? 'a deployment'}`);
  return (
    <DeploymentFrame
      id={id}
      class="trypage"
      isPlain
      beside={isOpen && <TryActions {...{ kind: kind ?? found, url, setPanel, choose, openHeaders }} />}
    >
      {(deployment) => (
        <>
          {canWrite === false && <Empty title="Your role does not include this page" picture="people" />}
          {canWrite === true && url === null && <NothingAnswers />}
          {isOpen && (
            <Speaking
              key={`${url} ${version}`}
              {...{ deployment, url, kind, version, choose, openHeaders, panel }}
              onKind={setFound}
              closePanel={() => setPanel(undefined)}
            />
          )}
          {isAsking && url !== null && (
            <HeadersDialog
              deploymentId={id}
              url={url}
              onClose={() => setAsking(false)}
              onGiven={() => setVersion((before) => before + 1)}
            />
          )}
        </>
      )}
    </DeploymentFrame>
  );
}

const NothingAnswers = () => (
  <Empty title="Nothing answers yet" picture="deploy">
    <p>Once a revision of this deployment serves, you can speak with it here.</p>
  </Empty>
);

type ActionsProps = {
  kind: Kind | undefined;
  url: string;
  setPanel: (panel: Panel) => void;
  choose: (kind: Kind) => void;
  openHeaders: () => void;
};

/** How the server is spoken with, and what there is no room for beside the chat. */
function TryActions({ kind, url, setPanel, choose, openHeaders }: ActionsProps) {
  return (
    <>
      <span class="line wide">
        <Segmented
          label="How to speak with it"
          value={kind ?? 'request'}
          onChange={choose}
          options={kinds.map((value) => ({ value, title: kindTitles[value] }))}
        />
        <Button kind="quiet" isSmall icon={keyRound} onClick={openHeaders}>
          Headers
        </Button>
      </span>
      {kind !== 'request' && (
        <Button kind="quiet" isSmall class="side-button" onClick={() => setPanel('side')}>
          {kind === 'tools' ? 'Tools' : 'Threads'}
        </Button>
      )}
      <Button kind="quiet" isSmall class="code-button" onClick={() => setPanel('code')}>
        Code
      </Button>
      <span class="only-narrow">
        <MoreActions {...{ kind, url, choose, openHeaders }} />
      </span>
    </>
  );
}

function MoreActions({ kind, url, choose, openHeaders }: Omit<ActionsProps, 'setPanel'>) {
  const studio = kind === 'chat' ? studioAddress(url) : undefined;
  return (
    <Menu
      label="More actions"
      items={[
        ...kinds.map((each) => ({
          title: kindTitles[each],
          isChosen: each === kind,
          onChoose: () => choose(each),
        })),
        { title: 'Headers…', icon: keyRound, isApart: true, onChoose: openHeaders },
        ...(studio === undefined
          ? []
          : [{ title: 'Open in LangSmith Studio', icon: externalLink, href: studio, isOutside: true }]),
      ]}
    />
  );
}

type SpeakingProps = {
  deployment: Deployment;
  url: string;
  /** As the address or the runtime says. */
  kind: Kind | undefined;
  onKind: (kind: Kind) => void;
  /** Grows when other headers are given. */
  version: number;
  choose: (kind: Kind) => void;
  openHeaders: () => void;
  panel: Panel;
  closePanel: () => void;
};

function Speaking({ deployment, url, kind, onKind, version, ...rest }: SpeakingProps) {
  const [place] = useState<AgentPlace>({ deploymentId: deployment.id, url });
  const server = useAnswer(kind ?? 'any', (signal) => findServer(place, kind, signal));
  const found = server.data?.kind;
  useThreadForgotten(version);
  useEffect(() => {
    if (found !== undefined) onKind(found);
  }, [found]);
  if (server.isPending) return <Skeleton rows={4} />;
  if (server.error !== undefined)
    return <Trouble error={server.error} place={place} what={kind === 'tools' ? kind : 'chat'} {...rest} />;
  if (server.data.kind === 'request') return <RequestForm place={place} {...rest} />;
  if (server.data.kind === 'tools') return <McpTools place={place} mcp={server.data.mcp} {...rest} />;
  const revision = deployment.active_revision_id;
  return (
    <Chat
      place={place}
      name={deployment.display_name ?? deployment.name}
      revision={revision === null ? undefined : numberOf(revision)}
      assistants={server.data.assistants}
      {...rest}
    />
  );
}

/** A thread of other headers may be somebody else's. */
function useThreadForgotten(version: number): void {
  const [path, navigate] = useLocation();
  const [search] = useSearchParams();
  const thread = search.get('thread');
  useEffect(() => {
    if (version > 0 && thread !== null) navigate(path, { replace: true });
  }, [version]);
}
