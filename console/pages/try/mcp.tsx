import { useState } from 'preact/hooks';
import type { AgentPlace } from '../../data/agent.ts';
import { headersFor } from '../../data/agent-headers.ts';
import type { McpSession } from '../../data/mcp.ts';
import { sealOf } from '../../logic/chat/code.ts';
import { fieldsOf, filled, initialOf, readJson } from '../../logic/chat/fields.ts';
import { MCP_PATH, mcpConfig, mcpCurl, type Tool, type ToolResult } from '../../logic/chat/mcp.ts';
import { agentUrl } from '../../logic/chat/reach.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { circleX, play, square, triangleAlert, wrench } from '../../ui/icons.ts';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { CodePanel } from './code-panel.tsx';
import { Columns, type Panel } from './columns.tsx';
import { JsonField } from './json-field.tsx';
import { SchemaForm } from './schema-form.tsx';
import { Tree } from './tree.tsx';

type Props = { place: AgentPlace; mcp: McpSession; panel: Panel; closePanel: () => void };

/** The tools of an MCP server: a form for each, made of its schema. */
export function McpTools({ place, mcp, panel, closePanel }: Props) {
  const [name, setName] = useState(mcp.tools[0]?.name);
  const [args, setArgs] = useState<unknown>({});
  const tool = mcp.tools.find((each) => each.name === name);
  if (tool === undefined)
    return (
      <Empty title="This server has no tools" picture="quiet">
        <p>It answers as an MCP server, and lists no tool that could be called.</p>
      </Empty>
    );
  const choose = (next: string) => {
    setName(next);
    setArgs({});
    closePanel();
  };
  const url = agentUrl(place.url, MCP_PATH);
  const call = { method: 'tools/call', params: { name: tool.name, arguments: args } };
  const seal = sealOf(headersFor(place.deploymentId));
  return (
    <Columns
      title="Tool"
      sideTitle="Tools"
      side={<ToolList tools={mcp.tools} chosen={tool.name} choose={choose} />}
      code={
        <CodePanel
          languages={['mcp.json', 'curl']}
          codeOf={(language) =>
            language === 'curl'
              ? mcpCurl(url, call, { seal, isStateful: mcp.isStateful })
              : mcpConfig(mcp.name ?? 'server', url)
          }
          note="mcp.json adds this server to Cursor, Claude and other clients."
        />
      }
      {...{ panel, closePanel }}
    >
      <ToolForm key={tool.name} tool={tool} mcp={mcp} onArgs={setArgs} />
    </Columns>
  );
}

type ListProps = { tools: readonly Tool[]; chosen: string; choose: (name: string) => void };

const ToolList = ({ tools, chosen, choose }: ListProps) => (
  <>
    <div class="line">
      <b>Tools</b>
      <span class="push meta">{tools.length}</span>
    </div>
    {tools.map(({ name, title, about }) => (
      <button
        key={name}
        type="button"
        class="t"
        aria-current={name === chosen ? 'true' : undefined}
        onClick={() => choose(name)}
      >
        <b class="cut">{title}</b>
        <span class="meta cut">{about === '' ? name : about.split('\n', 1)[0]}</span>
      </button>
    ))}
  </>
);

/** A call that goes on, or what came of the last one. */
function useCall(mcp: McpSession, tool: Tool) {
  const [running, setRunning] = useState<AbortController>();
  const [result, setResult] = useState<ToolResult>();
  const [error, setError] = useState<unknown>();
  const call = async (args: unknown) => {
    const own = new AbortController();
    setRunning(own);
    setResult(undefined);
    setError(undefined);
    try {
      setResult(await mcp.call(tool.name, args, own.signal));
    } catch (refused) {
      if (!own.signal.aborted) setError(refused);
    } finally {
      setRunning(undefined);
    }
  };
  return { call, result, error, running };
}

type ToolProps = { tool: Tool; mcp: McpSession; onArgs: (args: unknown) => void };

/** A tool, what it is called with, and what came of that. */
function ToolForm({ tool, mcp, onArgs }: ToolProps) {
  const { call, result, error, running } = useCall(mcp, tool);
  const send = (args: unknown) => {
    onArgs(args);
    void call(args);
  };
  return (
    <>
      <div class="chat-bar">
        <Icon of={wrench} />
        <b class="cut">{tool.title}</b>
        {tool.isDangerous && (
          <Badge tone="warn" icon={triangleAlert}>
            Changes or deletes things
          </Badge>
        )}
      </div>
      <div class="msgs tool">
        {tool.about !== '' && <p class="dim said">{tool.about}</p>}
        <ArgumentsForm tool={tool} running={running} onCall={send} />
        {running !== undefined && <Skeleton rows={2} />}
        {error !== undefined && <Problem error={error} />}
        {result !== undefined && <Answer result={result} />}
      </div>
    </>
  );
}

type ArgumentsProps = { tool: Tool; running: AbortController | undefined; onCall: (args: unknown) => void };

/** What a tool is called with, by its schema or as JSON. */
function ArgumentsForm({ tool, running, onCall }: ArgumentsProps) {
  const fields = fieldsOf(tool.schema) ?? [];
  const [typed, setTyped] = useState(() => initialOf(fields));
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [json, setJson] = useState<string>();
  const send = () => {
    const form = json === undefined ? filled(fields, typed) : { value: {}, problems: {} };
    const read = json === undefined ? form : readJson(json, 'The arguments');
    const wrong = 'problem' in read ? { json: read.problem } : form.problems;
    setProblems(wrong);
    if (Object.keys(wrong).length === 0 && 'value' in read) onCall(read.value);
  };
  const toggle = () =>
    setJson(json === undefined ? JSON.stringify(filled(fields, typed).value, null, 2) : undefined);
  return (
    <form
      class="input-form"
      aria-label={`Arguments of ${tool.title}`}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {json !== undefined && (
        <JsonField label="Arguments" value={json} set={setJson} problem={problems.json} />
      )}
      {json === undefined && <SchemaForm fields={fields} typed={typed} set={setTyped} problems={problems} />}
      {fields.length === 0 && json === undefined && <p class="meta">This tool takes no arguments.</p>}
      <div class="line">
        <Button kind="primary" type="submit" icon={play} busy={running !== undefined && 'Calling'}>
          Call {tool.title}
        </Button>
        {running !== undefined && (
          <Button icon={square} onClick={() => running.abort()}>
            Stop
          </Button>
        )}
        {fields.length > 0 && (
          <button type="button" class="link push" onClick={toggle}>
            {json === undefined ? 'Arguments as JSON' : 'Back to the form'}
          </button>
        )}
      </div>
    </form>
  );
}

const Answer = ({ result: { isError, parts } }: { result: ToolResult }) => (
  <section class="tool-answer" aria-label="Answer" role="status">
    <h2>
      Answer{' '}
      {isError && (
        <Badge tone="bad" icon={circleX}>
          Failed
        </Badge>
      )}
    </h2>
    {parts.length === 0 && <p class="meta">The tool has answered with nothing.</p>}
    {parts.map((part, at) => (
      <div key={at} class="tree-box">
        {'text' in part ? <p class="said">{part.text}</p> : <Tree value={part.value} depth={2} />}
      </div>
    ))}
  </section>
);
