import { Aws } from 'aws-cdk-lib';
import { type Alarm, AlarmStatusWidget, Dashboard, GraphWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { alarmRows, makeAlarms, type Watched } from './alarms.ts';
import { nameOf } from './platform.ts';
import type { Settings } from './settings.ts';

/** Across the whole dashboard, and a third of it. */
const WIDE = 24;
const THIRD = 8;

/** The topic that alarms tell, the alarms, and one dashboard of what they watch. */
export class Observability extends Construct {
  readonly topic: Topic;
  readonly alarms: Alarm[];

  constructor(scope: Construct, id: string, settings: Settings, watched: Watched) {
    super(scope, id);
    this.topic = new Topic(this, 'Alarms', { topicName: nameOf(settings, 'alarms'), enforceSSL: true });
    // The policy that TLS takes replaces the topic's own, which would let the account's alarms in.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
    if (settings.alarmEmail !== undefined)
      this.topic.addSubscription(new EmailSubscription(settings.alarmEmail));
    const rows = alarmRows(watched);
    this.alarms = makeAlarms(this, settings, this.topic, rows);
    new Dashboard(this, 'Dashboard', {
      dashboardName: nameOf(settings, 'overview'),
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: this.alarms, width: WIDE })],
        rows.map(({ name, metric }) => new GraphWidget({ title: name, left: [metric], width: THIRD })),
      ],
    });
  }
}
