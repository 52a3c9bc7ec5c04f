import { Duration } from 'aws-cdk-lib';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  Function as FrontFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { VpcOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import {
  type ApplicationListener,
  ApplicationLoadBalancer,
  ApplicationProtocol,
  ListenerAction,
} from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { Construct } from 'constructs';
import { NO_AGENT, OF_THE_ORIGIN } from '../../contract/agent-front.ts';
import { nameOf } from '../platform.ts';
import type { Settings } from '../settings.ts';
import { answerFunction, frontFunction } from './front-function.ts';
import { agentsName } from './names.ts';
import type { Network } from './network.ts';

/** A run may be silent for as long as the balancer lets it. */
const IDLE_SECONDS = 4000;
/** The longest pause that CloudFront allows between two bytes. */
const READ_SECONDS = 120;
const KEEPALIVE_SECONDS = 60;

/**
 * HTTPS without a domain of one's own: CloudFront, and behind it one balancer for all agents, which has no
 * public address. The driver makes the rules that say which servers a deployment's requests go to.
 */
export class Front extends Construct {
  readonly listener: ApplicationListener;
  /** `https://` and the host at which all agents answer. */
  readonly url: string;

  constructor(scope: Construct, id: string, settings: Settings, network: Network) {
    super(scope, id);
    const balancer = new ApplicationLoadBalancer(this, 'Balancer', {
      loadBalancerName: agentsName(settings),
      vpc: network.vpc,
      vpcSubnets: network.balancerSubnets,
      internetFacing: false,
      securityGroup: network.balancer,
      idleTimeout: Duration.seconds(IDLE_SECONDS),
      dropInvalidHeaderFields: true,
    });
    this.listener = balancer.addListener('Listener', {
      port: 80,
      protocol: ApplicationProtocol.HTTP,
      open: false,
      defaultAction: ListenerAction.fixedResponse(404, {
        contentType: 'application/json',
        messageBody: NO_AGENT,
      }),
    });
    const code = (place: string, name: string, comment: string, text: string) =>
      new FrontFunction(this, place, {
        functionName: nameOf(settings, name),
        comment: `Slipway: ${comment}`,
        runtime: FunctionRuntime.JS_2_0,
        code: FunctionCode.fromInline(text),
      });
    const asked = code('Function', 'front', 'says which agent a request is for', frontFunction());
    const answered = code('Answers', 'front-answers', 'keeps redirects with their agent', answerFunction());
    const distribution = new Distribution(this, 'Distribution', {
      comment: `Slipway: agents of ${settings.environment}`,
      httpVersion: HttpVersion.HTTP2_AND_3,
      defaultBehavior: {
        origin: VpcOrigin.withApplicationLoadBalancer(balancer, {
          vpcOriginName: agentsName(settings),
          protocolPolicy: OriginProtocolPolicy.HTTP_ONLY,
          readTimeout: Duration.seconds(READ_SECONDS),
          keepaliveTimeout: Duration.seconds(KEEPALIVE_SECONDS),
        }),
        allowedMethods: AllowedMethods.ALLOW_ALL,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER,
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        // A stream that is compressed is held back.
        compress: false,
        responseHeadersPolicy: this.#withoutReach(settings),
        functionAssociations: [
          { function: asked, eventType: FunctionEventType.VIEWER_REQUEST },
          { function: answered, eventType: FunctionEventType.VIEWER_RESPONSE },
        ],
      },
    });
    this.url = `https://${distribution.distributionDomainName}`;
  }

  /** All agents share an origin. Functions do not run for errors, so this is a policy. */
  #withoutReach(settings: Settings): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, 'Policy', {
      responseHeadersPolicyName: nameOf(settings, 'front'),
      comment: 'Slipway: no agent reaches the pages of another',
      removeHeaders: [...OF_THE_ORIGIN],
    });
  }
}
