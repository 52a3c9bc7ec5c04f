import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { templatesIn } from './templates.ts';

type Statement = { Action: string | string[] };
type Document = { Statement: Statement[] };
type Resource = {
  Type: string;
  Properties: {
    FunctionName?: string;
    Role?: { 'Fn::GetAtt': [string, string] };
    Roles?: { Ref: string }[];
    Policies?: { PolicyDocument: Document }[];
    PolicyDocument?: Document;
  };
};

/**
 * Takes one action away from the role of one function in synthesised templates. `mutation`: `<function>
 * <action>`, such as `sweep dynamodb:Query`. Throws when the role does not grant it.
 */
export async function takeAway(folder: string, mutation: string): Promise<void> {
  const [name, action = ''] = mutation.split(' ');
  let removed = 0;
  for (const template of await templatesIn(folder)) {
    const file = join(folder, template.name);
    // What CloudFormation templates always have.
    const content = JSON.parse(await readFile(file, 'utf8')) as { Resources: Record<string, Resource> };
    const before = removed;
    for (const document of documentsOf(content.Resources, `slipway-test-${name}`)) {
      removed += without(document, action);
    }
    if (removed > before) await writeFile(file, JSON.stringify(content));
  }
  if (removed === 0) throw new Error(`No role grants ${mutation}`);
}

/** The policies of a function's role. */
function documentsOf(resources: Record<string, Resource>, functionName: string): Document[] {
  const all = Object.values(resources);
  const made = all.find(({ Properties }) => Properties?.FunctionName === functionName);
  const role = made?.Properties.Role?.['Fn::GetAtt'][0];
  if (role === undefined) return [];
  const own = resources[role]?.Properties.Policies?.map(({ PolicyDocument }) => PolicyDocument) ?? [];
  const added = all.filter(
    ({ Type, Properties }) =>
      Type === 'AWS::IAM::Policy' && Properties.Roles?.some(({ Ref }) => Ref === role),
  );
  return [...own, ...added.flatMap(({ Properties }) => Properties.PolicyDocument ?? [])];
}

/** Removes the action wherever the document grants it, and says how often that was. */
function without(document: Document, action: string): number {
  let removed = 0;
  document.Statement = document.Statement.flatMap((statement) => {
    const actions = [statement.Action].flat();
    if (!actions.includes(action)) return [statement];
    removed += 1;
    const rest = actions.filter((each) => each !== action);
    return rest.length === 0 ? [] : [{ ...statement, Action: rest }];
  });
  return removed;
}
