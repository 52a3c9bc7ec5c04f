import { useId } from 'preact/hooks';
import type { FormField, Typed } from '../../logic/chat/fields.ts';
import { shown } from '../../logic/chat/json.ts';
import { Choice } from '../../ui/choice.tsx';

type Props = {
  fields: readonly FormField[];
  typed: Typed;
  set: (typed: Typed) => void;
  problems: Readonly<Record<string, string>>;
};

/** The fields of a schema: short ones in pairs. */
export const SchemaForm = ({ fields, typed, set, problems }: Props) => (
  <div class="schema-form">
    {fields.map((field) => (
      <SchemaField
        key={field.name}
        field={field}
        value={typed[field.name] ?? ''}
        set={(value) => set({ ...typed, [field.name]: value })}
        problem={problems[field.name]}
      />
    ))}
  </div>
);

type FieldProps = {
  field: FormField;
  value: string;
  set: (value: string) => void;
  problem: string | undefined;
};

function SchemaField({ field, value, set, problem }: FieldProps) {
  const id = useId();
  const { label, kind, about, isRequired } = field;
  const isLong = kind === 'json' || kind === 'long';
  const aboutId = about === undefined && problem === undefined ? undefined : `${id}about`;
  return (
    <div class={isLong ? 'field long' : 'field'}>
      <label id={id} for={`${id}field`}>
        {label}
        {isRequired ? '' : <span class="meta"> optional</span>}
      </label>
      {(kind === 'choice' || kind === 'yes-no') && (
        <Choice
          label={label}
          labelledBy={id}
          value={value}
          options={optionsOf(field)}
          placeholder={isRequired ? 'Choose…' : 'Not set'}
          onChange={set}
        />
      )}
      {isLong && (
        <textarea
          id={`${id}field`}
          rows={kind === 'json' ? 4 : 3}
          class={kind === 'json' ? 'mono' : ''}
          spellcheck={false}
          value={value}
          placeholder={kind === 'json' ? 'JSON' : undefined}
          aria-describedby={aboutId}
          aria-invalid={problem !== undefined}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      )}
      {(kind === 'text' || kind === 'number') && (
        <input
          id={`${id}field`}
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          autocomplete="off"
          spellcheck={false}
          value={value}
          aria-describedby={aboutId}
          aria-invalid={problem !== undefined}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      )}
      {problem !== undefined ? (
        <span id={aboutId} class="field-problem" role="alert">
          {problem}
        </span>
      ) : (
        about !== undefined && (
          <span id={aboutId} class="small">
            {about}
          </span>
        )
      )}
    </div>
  );
}

function optionsOf({ kind, options, isRequired }: FormField) {
  const none = isRequired ? [] : [{ value: '', title: 'Not set' }];
  if (kind === 'yes-no') return [...none, { value: 'true', title: 'Yes' }, { value: 'false', title: 'No' }];
  return [...none, ...options.map((option) => ({ value: shown(option), title: shown(option) }))];
}
