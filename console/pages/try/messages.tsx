import { useEffect, useRef } from 'preact/hooks';
import type { ChatMessage, ToolCall } from '../../logic/chat/message.ts';
import { textParts } from '../../logic/chat/text-parts.ts';
import { type Timings, tookSeconds } from '../../logic/chat/timing.ts';
import { Icon } from '../../ui/icon.tsx';
import { check, chevronRight, externalLink, loaderCircle, wrench, x } from '../../ui/icons.ts';
import { Tree } from './tree.tsx';

type Props = {
  messages: readonly ChatMessage[];
  timings: Timings;
  /** The last message may still grow. */
  isArriving: boolean;
  /** How long the run took that ended with the last message. */
  took: string | undefined;
};

/** What was said on a thread, with the calls of tools between. */
export const Messages = ({ messages, timings, isArriving, took }: Props) => (
  <>
    {messages.map((message, at) => (
      <Message
        key={message.id}
        message={message}
        timings={timings}
        isArriving={isArriving && at === messages.length - 1}
        took={at === messages.length - 1 ? took : undefined}
      />
    ))}
  </>
);

type MessageProps = {
  message: ChatMessage;
  timings: Timings;
  isArriving: boolean;
  took: string | undefined;
};

function Message({ message, timings, isArriving, took }: MessageProps) {
  const { from, text, thoughts, calls, tokens } = message;
  if (from === 'person')
    return (
      <div class="say">
        <span class="sr">You: </span>
        <Said text={text} />
      </div>
    );
  return (
    <div class={from === 'system' ? 'ans system' : 'ans'}>
      <span class="sr">{from === 'system' ? 'System: ' : 'Agent: '}</span>
      {thoughts !== '' && (
        <details class="fold">
          <summary>
            <Icon of={chevronRight} />
            Thoughts
          </summary>
          <p class="fold-body said">{thoughts}</p>
        </details>
      )}
      {text !== '' && (
        <p class="said">
          <Said text={text} />
          {isArriving && calls.length === 0 && <span class="caret" />}
        </p>
      )}
      {calls.map((call) => (
        <Call key={call.id} call={call} took={tookSeconds(timings, call.id)} isArriving={isArriving} />
      ))}
      {(took ?? tokens) !== undefined && (
        <span class="meta">
          {took}
          {tokens !== undefined && (
            <span class={took === undefined ? '' : 'sep'}>{tokens.toLocaleString('en')} tokens</span>
          )}
        </span>
      )}
    </div>
  );
}

/** The words of an agent or a person: text, and addresses that open elsewhere. */
const Said = ({ text }: { text: string }) => (
  <>
    {textParts(text).map(({ text: part, isAddress }, at) =>
      isAddress ? (
        <a key={at} class="link" href={part} target="_blank" rel="noreferrer nofollow">
          {part}
          <Icon of={externalLink} label="opens another site" />
        </a>
      ) : (
        part
      ),
    )}
  </>
);

type CallProps = { call: ToolCall; took: string | undefined; isArriving: boolean };

function Call({ call: { name, args, result }, took, isArriving }: CallProps) {
  return (
    <details class="fold">
      <summary>
        <Icon of={chevronRight} />
        <Icon of={wrench} />
        <code class="cut">{name}</code>
        <span class="push" />
        {took !== undefined && <span class="meta">{took}</span>}
        {result === undefined && isArriving && <Icon of={loaderCircle} isTurning label="Running" />}
        {result?.isError === false && <Icon of={check} class="ok" label="Done" />}
        {result?.isError === true && <Icon of={x} class="bad" label="Failed" />}
      </summary>
      <div class="fold-body">
        <b>Arguments</b>
        <Tree value={args} />
        {result !== undefined && (
          <>
            <b>Answer</b>
            <Tree value={result.value} />
          </>
        )}
      </div>
    </details>
  );
}

const AT_END_PIXELS = 80;

/** Keeps the end in view while it grows, unless somebody has scrolled up. */
export function useFollowedEnd(version: unknown) {
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = list.current;
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [version]);
  const onScroll = () => {
    const element = list.current;
    if (element === null) return;
    isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < AT_END_PIXELS;
  };
  const toEnd = () => {
    isAtEnd.current = true;
  };
  return { list, onScroll, toEnd };
}
