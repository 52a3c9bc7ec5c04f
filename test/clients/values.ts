import type { openApiDocument } from '../../lib/contract/openapi/document.ts';
import { namedSchemas, type Schema, sampleOf } from '../support/openapi/sample.ts';

/** An example in the description: of the body of an operation, or of its answer with a status. */
type DocumentExample = { operation: string; status?: number; schema: string; value: unknown };

type Content = Record<string, { schema: Schema; example?: unknown } | undefined>;
type Operation = {
  operationId: string;
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};

const nameOf = ({ $ref = '' }: Schema): string => $ref.replace('#/components/schemas/', '');

function exampleIn(content: Content | undefined, rest: Omit<DocumentExample, 'schema' | 'value'>) {
  const { schema, example } = content?.['application/json'] ?? {};
  return schema?.$ref === undefined || example === undefined
    ? []
    : [{ ...rest, schema: nameOf(schema), value: example }];
}

/** The examples that the description gives of what has a name. */
export function documentExamples(document: ReturnType<typeof openApiDocument>): DocumentExample[] {
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  return operations.flatMap(({ operationId: operation, requestBody, responses }) => [
    ...exampleIn(requestBody?.content, { operation }),
    ...Object.entries(responses)
      .filter(([status]) => Number(status) < 300)
      .flatMap(([status, { content }]) => exampleIn(content, { operation, status: Number(status) })),
  ]);
}

/** A value of each schema that has a name, with every field of it. */
export const sampleValues = (): Record<string, unknown> =>
  Object.fromEntries(Object.entries(namedSchemas).map(([name, schema]) => [name, sampleOf(schema)]));
