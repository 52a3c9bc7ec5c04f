import { expect, it } from 'vitest';

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
}
