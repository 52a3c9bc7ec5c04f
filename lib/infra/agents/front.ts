import { Duration } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
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
import { CfnSecurityGroupIngress } from 'aws-cdk-lib/aws-ec2';
import {
  type ApplicationListener,
  ApplicationLoadBalancer,
  ApplicationProtocol,
  ListenerAction,
} from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { Construct, type IConstruct } from 'constructs';
import manifest from '../../../package.json' with { type: 'json' };
import { NO_AGENT, OF_THE_ORIGIN } from '../../contract/agent-front.ts';
import { nameOf, type Platform } from '../platform.ts';
import type { Settings } from '../settings.ts';
import { answerFunction, frontFunction } from './front-function.ts';
import { agentsName } from './names.ts';
import { HTTP, type Network } from './network.ts';
import type { Questions } from './questions.ts';

/** A run may be silent for as long as the balancer lets it. */
const IDLE_SECONDS = 4000;
/** The longest pause that CloudFront allows between two bytes. */
const READ_SECONDS = 120;
const KEEPALIVE_SECONDS = 60;

type Around = { network: Network; questions: Questions };

/**
 * HTTPS without a domain of one's own: CloudFront, and behind it one balancer for all agents, which has no
 * public address. The driver makes the rules that say which servers a deployment's requests go to.
 */
export class Front extends Construct {
  readonly listener: ApplicationListener;
  /** The front's own host. */
  readonly distributionName: string;
  /** `https://` and that host: all agents answer there, each at its path. */
  readonly url: string;

  constructor(scope: Construct, id: string, { settings }: Platform, { network, questions }: Around) {
    super(scope, id);
    const balancer = this.#balancer(settings, network);
    this.listener = balancer.addListener('Listener', {
      port: HTTP,
      protocol: ApplicationProtocol.HTTP,
      open: false,
      defaultAction: ListenerAction.fixedResponse(404, {
        contentType: 'application/json',
        messageBody: NO_AGENT,
      }),
    });
    const distribution = this.#distribution(settings, balancer);
    this.distributionName = distribution.distributionDomainName;
    this.url = `https://${this.distributionName}`;
    this.#admitGroup(distribution, network, questions);
  }

  #balancer(settings: Settings, network: Network): ApplicationLoadBalancer {
    const [own, addresses] = network.balancer;
    const balancer = new ApplicationLoadBalancer(this, 'Balancer', {
      loadBalancerName: agentsName(settings),
      vpc: network.vpc,
      vpcSubnets: network.balancerSubnets,
      internetFacing: false,
      securityGroup: own,
      idleTimeout: Duration.seconds(IDLE_SECONDS),
      dropInvalidHeaderFields: true,
    });
    balancer.addSecurityGroup(addresses);
    return balancer;
  }

  #distribution(settings: Settings, balancer: ApplicationLoadBalancer): Distribution {
    const code = (place: string, name: string, comment: string, text: string) =>
      new FrontFunction(this, place, {
        functionName: nameOf(settings, name),
        comment: `Slipway: ${comment}`,
        runtime: FunctionRuntime.JS_2_0,
        code: FunctionCode.fromInline(text),
      });
    const asked = code('Function', 'front', 'says which agent a request is for', frontFunction(settings));
    const answers = answerFunction(settings);
    const answered = code('Answers', 'front-answers', 'keeps redirects with their agent', answers);
    return new Distribution(this, 'Distribution', {
      comment: `Slipway: agents of ${settings.environment}`,
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...this.#hosts(settings),
      ...(settings.agentWebAclArn !== undefined && { webAclId: settings.agentWebAclArn }),
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
  }

  /** A host for each agent, where there is a domain for them. */
  #hosts({ agentsDomain, agentsCertificateArn }: Settings) {
    if (agentsDomain === undefined || agentsCertificateArn === undefined) return {};
    const certificate = Certificate.fromCertificateArn(this, 'Certificate', agentsCertificateArn);
    return { domainNames: [`*.${agentsDomain}`], certificate };
  }

  /**
   * CloudFront makes a group for its interfaces when it first has an origin in a network. It is asked for
   * once the origin is there, and anew with each release, and left before the origin goes: CloudFront can
   * delete no group that a rule names. Where there is none, the rule names the balancer's own group, and lets
   * nobody in.
   */
  #admitGroup(front: IConstruct, { vpc, balancer: [own] }: Network, questions: Questions): void {
    const { resource, answer } = questions.ask(this, 'FrontGroup', {
      Find: 'front-group',
      VpcId: vpc.vpcId,
      OrElse: own.securityGroupId,
      Release: manifest.version,
    });
    resource.node.addDependency(front);
    new CfnSecurityGroupIngress(this, 'FromFrontGroup', {
      groupId: own.securityGroupId,
      sourceSecurityGroupId: answer('GroupId'),
      ipProtocol: 'tcp',
      fromPort: HTTP,
      toPort: HTTP,
      description: 'the front, by its group',
    });
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
