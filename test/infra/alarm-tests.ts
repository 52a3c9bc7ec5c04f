import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allAlarms } from '../support/aws/alarms.ts';

const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');

/** The parts of the chapter of runbooks, by heading. */
const sections = new Map(
  (text.split(/^## Runbooks$/m)[1] ?? '')
    .split(/^### /m)
    .slice(1)
    .map((part) => {
      const [heading = '', ...rest] = part.split('\n');
      return [heading, rest.join('\n')] as const;
    }),
);

/** Each alarm and what to do about it. Part of the file of the template: to load the CDK takes seconds. */
function runbookTests(): void {
  const names = allAlarms('fargate').map(({ name }) => name);

  it('every alarm has a runbook under its name, and every runbook an alarm', () => {
    expect([...sections.keys()].toSorted()).toEqual(names.toSorted());
  });

  describe.each([...sections])('the runbook of %s', (_, section) => {
    it('has the alarm, its impact, how to investigate, the fix and when it clears', () => {
      const parts = [...section.matchAll(/^\*\*(Alarm|Impact|Investigate|Fix|Clears):\*\*/gm)].map(
        ([, part]) => part,
      );
      expect(parts).toEqual(['Alarm', 'Impact', 'Investigate', 'Fix', 'Clears']);
      expect(section).toMatch(/```sh(?: needs=\w+)?\n(?:[^`]|`(?!``))*\b(?:aws|insights) /);
    });
  });

  it('links only to headings that are there', () => {
    const slug = (heading: string) =>
      heading
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-');
    const headings = new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slug(heading)));
    const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !headings.has(link))).toEqual([]);
  });
}

/** How alarms come to be and arrive. Part of the file of the template: to load the CDK takes seconds. */
export function alarmTests(propertiesOf: (type: string) => unknown[]): void {
  it('alarms of this account may notify the topic, over TLS', () => {
    const [policy] = propertiesOf('AWS::SNS::TopicPolicy');
    const allowed = {
      Effect: 'Allow',
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    };
    expect(policy).toMatchObject({
      PolicyDocument: { Statement: expect.arrayContaining([expect.objectContaining(allowed)]) },
    });
  });

  it('alarms on several metrics count one that has no data as 0, and are OK again without data', () => {
    type AlarmProperties = { Metrics?: { Expression?: string }[]; TreatMissingData: string };
    const alarms = propertiesOf('AWS::CloudWatch::Alarm') as AlarmProperties[];
    const expressions = alarms.flatMap(({ Metrics = [] }) =>
      Metrics.flatMap(({ Expression }) => Expression ?? []),
    );
    expect(expressions.length).toBeGreaterThan(3);
    for (const expression of expressions)
      expect(expression.match(/\bm\d+\b/g)).toHaveLength(expression.match(/FILL\(m\d+, 0\)/g)?.length ?? 0);
    const isSilence = (alarm: AlarmProperties) => alarm.TreatMissingData !== 'notBreaching';
    expect(alarms.filter(isSilence)).toHaveLength(1);
  });

  runbookTests();
}
