import { CustomResource, Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { managingRows } from '../../contract/functions.ts';
import type { NetworkAnswers, NetworkQuestion } from '../../features/network/shape.ts';
import type { Platform } from '../platform.ts';
import { SlipwayFunction } from '../slipway-function.ts';

/** By then a question is answered, or the deploy ends. */
const ANSWER_SECONDS = 120;

/** What a deploy asks the account about networks: the answers are no part of a template. */
export class Questions extends Construct {
  readonly #token: string;

  constructor(scope: Construct, id: string, platform: Platform) {
    super(scope, id);
    const { function: answering } = new SlipwayFunction(this, 'Find', {
      platform,
      ...managingRows.findNetwork,
    });
    this.#token = answering.functionArn;
  }

  /** Is asked when it is first deployed, and again when one of its words has changed. */
  ask<Q extends NetworkQuestion>(
    scope: Construct,
    id: string,
    question: Q & { Release?: string },
  ): { resource: CustomResource; answer: (name: NetworkAnswers[Q['Find']]) => string } {
    const resource = new CustomResource(scope, id, {
      serviceToken: this.#token,
      resourceType: 'Custom::SlipwayNetwork',
      serviceTimeout: Duration.seconds(ANSWER_SECONDS),
      properties: question,
    });
    return { resource, answer: (name) => resource.getAttString(name) };
  }
}
