import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { Refusal } from '../../lib/client/refusal.ts';
import { Choice } from './choice.tsx';

/** What was refused of the form around; its fields say what is wrong with each. */
export const Refused = createContext<unknown>(undefined);

type FieldProps = { label: string; of: string; hint?: string | undefined; children: ComponentChildren };

/** What the API found wrong in a field, by its name there: `source_config.repo_url`. */
export function useProblems(of: string): { text: string }[] {
  const error = useContext(Refused);
  return error instanceof Refusal
    ? error.fields.filter(({ field }) => field === of || field.startsWith(`${of}.`))
    : [];
}

export const Problems = ({ found }: { found: readonly { text: string }[] }) => (
  <>
    {found.map(({ text }) => (
      <span key={text} class="field-problem" role="alert">
        {text}
      </span>
    ))}
  </>
);

/** A field with one line of consequence, or what the API found wrong in it; `of` is its name there. */
export function Field({ label, of, hint, children }: FieldProps) {
  const found = useProblems(of);
  return (
    <label class="field">
      <span>{label}</span>
      {children}
      {hint !== undefined && <span class="small">{hint}</span>}
      <Problems found={found} />
    </label>
  );
}

type TextProps = Omit<FieldProps, 'children'> & {
  value: string;
  set: (value: string) => void;
  isRequired?: boolean;
  /** Typed unseen, and kept by no browser. */
  isSecret?: boolean;
  type?: 'text' | 'url' | 'number' | 'datetime-local';
  placeholder?: string | undefined;
  lengthMax?: number;
};

/** A field for a line of text. */
export function TextField({ label, of, hint, value, set, ...more }: TextProps) {
  return (
    <Field label={label} of={of} hint={hint}>
      <input
        type={more.isSecret ? 'password' : (more.type ?? 'text')}
        value={value}
        required={more.isRequired}
        maxLength={more.lengthMax}
        placeholder={more.placeholder}
        autocomplete={more.isSecret ? 'new-password' : 'off'}
        spellcheck={false}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </Field>
  );
}

type ChoiceProps<T extends string> = Omit<FieldProps, 'children'> & {
  value: T;
  set: (value: T) => void;
  choices: readonly (readonly [value: T, word: string])[];
};

/** A field for one of several values. */
export function ChoiceField<T extends string>({ label, of, hint, value, set, choices }: ChoiceProps<T>) {
  const id = useId();
  const found = useProblems(of);
  return (
    <div class="field">
      <span id={id}>{label}</span>
      <Choice
        label={label}
        labelledBy={id}
        value={value}
        options={choices.map(([each, title]) => ({ value: each, title }))}
        onChange={set}
      />
      {hint !== undefined && <span class="small">{hint}</span>}
      <Problems found={found} />
    </div>
  );
}

type CheckProps = { label: string; value: boolean; set: (value: boolean) => void };

/** A yes or no. */
export const CheckField = ({ label, value, set }: CheckProps) => (
  <label class="check">
    <input type="checkbox" checked={value} onChange={({ currentTarget }) => set(currentTarget.checked)} />{' '}
    {label}
  </label>
);
