import type { AgentPlace } from '../../data/agent.ts';
import { codeOf, languages } from '../../logic/chat/code.ts';
import type { Kind } from '../../logic/chat/kind.ts';
import { hello, MCP_PATH, mcpCurl } from '../../logic/chat/mcp.ts';
import { agentUrl } from '../../logic/chat/reach.ts';
import { Button } from '../../ui/button.tsx';
import { keyRound } from '../../ui/icons.ts';
import { Empty, Problem } from '../../ui/states.tsx';
import { CodePanel } from './code-panel.tsx';
import { troubleOf } from './use-agent.ts';

type Props = {
  error: unknown;
  place: AgentPlace;
  what: 'chat' | 'tools';
  choose: (kind: Kind) => void;
  openHeaders: () => void;
};

/** Why a server cannot be spoken with here, and what can be done instead. */
export function Trouble({ error, place, what, choose, openHeaders }: Props) {
  const trouble = error === undefined ? 'no-agent' : troubleOf(error);
  if (trouble === 'sign-in')
    return (
      <Empty title="This server asks who you are" picture="people">
        <p>
          It has a sign-in of its own, so your session here does not open it. Give it the header that its
          users send.
        </p>
        <Button kind="primary" icon={keyRound} onClick={openHeaders}>
          Give a header
        </Button>
      </Empty>
    );
  if (trouble === 'unreachable')
    return (
      <div class="unreachable">
        <Empty title="Your browser cannot reach this server" picture="quiet">
          <p>
            It answers at an address that this page may not ask, or it refuses pages of other origins. Your
            own programs reach it all the same.
          </p>
        </Empty>
        <Elsewhere place={place} what={what} />
      </div>
    );
  if (trouble === 'no-agent')
    return (
      <Empty
        title={what === 'chat' ? 'This server is not an agent' : 'This server has no tools'}
        picture="quiet"
      >
        <p>
          {what === 'chat'
            ? 'It does not speak the protocol of LangGraph. You can still send it requests.'
            : `Nothing answers as an MCP server at ${MCP_PATH}. You can still send it requests.`}
        </p>
        <Button kind="primary" onClick={() => choose('request')}>
          Send a request
        </Button>
      </Empty>
    );
  return <Problem error={error} />;
}

/** The same from a terminal or a program. */
const Elsewhere = ({ place: { url }, what }: Pick<Props, 'place' | 'what'>) =>
  what === 'chat' ? (
    <div class="snip">
      <CodePanel
        languages={languages}
        codeOf={(language) =>
          codeOf(language, { url, threadId: undefined, assistant: 'agent', body: FIRST }, undefined)
        }
        note="Put the name of your graph in place of agent."
      />
    </div>
  ) : (
    <div class="snip">
      <CodePanel
        languages={['curl']}
        codeOf={() =>
          mcpCurl(
            agentUrl(url, MCP_PATH),
            { method: 'initialize', params: hello },
            { seal: undefined, isStateful: false },
          )
        }
        note="The hello of an MCP client; Cursor, Claude and others take the address alone."
      />
    </div>
  );

const FIRST = { input: { messages: [{ role: 'user', content: 'Hello' }] } };
