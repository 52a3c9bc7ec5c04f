declare module 'asl-validator' {
  /** Checks a state machine's definition against the language's schema, paths and references. */
  export default function validate(definition: unknown): { isValid: boolean; errors: unknown[] };
}
