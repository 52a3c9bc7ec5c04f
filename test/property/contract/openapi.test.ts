import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../lib/contract/openapi/document.ts';
import { routes } from '../../../lib/contract/routes/index.ts';
import {
  clearablePathProblem,
  commandProblem,
  configPathProblem,
  customUrlProblem,
  dockerTargetProblem,
  repoUrlProblem,
  startCommandProblem,
} from '../../../lib/contract/validation/text.ts';

type Schemas = Record<string, { properties: Record<string, { pattern?: string }> }>;
const { components } = openApiDocument(routes) as { components: { schemas: Schemas } };

const patternOf = (component: string, field: string): RegExp =>
  new RegExp(components.schemas[component]?.properties[field]?.pattern ?? 'no pattern');

/** Texts that come near to what the rules are about. */
const pieces = fc.constantFrom(
  ...['a', 'B', '0', '-', '_', '.', '..', '/', '//', ':', '@', '&', '&&', ' ', '\t', '\n', '\0', '\\', '"'],
  ...['`', '|', ';', '$', '<', '>', '~', 'ü', 'https://', 'ssh://', 'file:///', 'http://', 'git@host:'],
);
const text = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''));

/** `exact`: the pattern says all there is; elsewhere it only refuses nothing that the rule takes. */
const rules = [
  { component: 'SourceConfigRequest', field: 'build_command', rule: commandProblem, exact: true },
  {
    component: 'SourceRevisionConfigRequest',
    field: 'graph_config_path',
    rule: configPathProblem,
    exact: true,
  },
  { component: 'SourceConfigRequest', field: 'root_directory', rule: clearablePathProblem, exact: true },
  { component: 'SourceConfigRequest', field: 'docker_target', rule: dockerTargetProblem, exact: true },
  { component: 'SourceConfigRequest', field: 'start_command', rule: startCommandProblem, exact: false },
  { component: 'SourceConfigRequest', field: 'repo_url', rule: repoUrlProblem, exact: false },
  { component: 'SourceConfigRequest', field: 'custom_url', rule: customUrlProblem, exact: false },
] as const;

describe.each(rules)('the pattern of $field', ({ component, field, rule, exact }) => {
  it('is what the code holds to', () => {
    const pattern = patternOf(component, field);
    fc.assert(
      fc.property(text, (value) => {
        const taken = rule(value) === undefined;
        if (taken) expect([value, pattern.test(value)]).toEqual([value, true]);
        else if (exact) expect([value, pattern.test(value)]).toEqual([value, false]);
      }),
      { numRuns: 2_000 },
    );
  });
});
