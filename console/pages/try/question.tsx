import { useState } from 'preact/hooks';
import { questionOf, type Reply } from '../../logic/chat/ask.ts';
import { filled, initialOf, readJson } from '../../logic/chat/fields.ts';
import { shown } from '../../logic/chat/json.ts';
import type { Interrupt } from '../../logic/chat/run.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { check, hand, x } from '../../ui/icons.ts';
import { JsonField } from './json-field.tsx';
import { SchemaForm } from './schema-form.tsx';
import { Tree } from './tree.tsx';

type Props = {
  interrupt: Interrupt;
  /** Of several that are asked at once. */
  count?: string | undefined;
  onAnswer: (value: unknown) => void;
};

/** What an agent waits for: a form that its schema or its value makes, or JSON. */
export function QuestionForm({ interrupt, count, onAnswer }: Props) {
  const [question] = useState(() => questionOf(interrupt));
  const [typed, setTyped] = useState(() => initialOf(question.fields));
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [json, setJson] = useState<string>();
  const answer = ({ resume }: Reply) => {
    const form = filled(question.fields, typed);
    setProblems(form.problems);
    if (Object.keys(form.problems).length === 0) onAnswer(resume(form.value));
  };
  const sendJson = () => {
    const read = readJson(json ?? '', 'The answer');
    if ('problem' in read) setProblems({ json: read.problem });
    else onAnswer(read.value);
  };
  const [first] = question.replies;
  return (
    <form
      class="ask"
      aria-label={question.title}
      onSubmit={(event) => {
        event.preventDefault();
        if (json !== undefined) sendJson();
        else if (first !== undefined) answer(first);
      }}
    >
      <header>
        <Icon of={hand} />
        <span class="said">{question.title}</span>
        {count !== undefined && <span class="meta">{count}</span>}
        <button
          type="button"
          class="link push"
          onClick={() => setJson(json === undefined ? shown(question.example) : undefined)}
        >
          {json === undefined ? 'Answer as JSON' : 'Back to the form'}
        </button>
      </header>
      <div class="ask-body">
        {question.about !== undefined && <p class="dim said">{question.about}</p>}
        {question.shownValue !== undefined && <Tree value={question.shownValue} depth={2} />}
        {json === undefined && question.fields.length > 0 && (
          <SchemaForm fields={question.fields} typed={typed} set={setTyped} problems={problems} />
        )}
        {json !== undefined && (
          <JsonField label="Answer" value={json} set={setJson} problem={problems.json} />
        )}
      </div>
      <footer>
        {json === undefined ? (
          <Replies replies={question.replies} onReply={answer} />
        ) : (
          <Button kind="primary" type="submit" icon={check}>
            Send answer
          </Button>
        )}
      </footer>
    </form>
  );
}

type RepliesProps = { replies: readonly Reply[]; onReply: (reply: Reply) => void };

const Replies = ({ replies, onReply }: RepliesProps) => (
  <>
    {replies.map((reply) => (
      <Button
        key={reply.label}
        kind={reply.kind === 'primary' ? 'primary' : 'plain'}
        icon={reply.kind === 'primary' ? check : reply.kind === 'reject' ? x : undefined}
        onClick={() => onReply(reply)}
      >
        {reply.label}
      </Button>
    ))}
  </>
);
