import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { type Synthesised, synthesised } from '../support/aws/synthesised.ts';

const context = { environment: 'test', compute: 'fargate' };
const WEB_ACL = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/agents/0f0e';
const CERTIFICATE = 'arn:aws:acm:us-east-1:123456789012:certificate/1';
const ownNetwork = {
  agentVpcId: 'vpc-00000001',
  agentSubnets: 'subnet-0000000a,subnet-0000000b',
  balancerSubnets: 'subnet-0000000c,subnet-0000000d',
};
const ownDomain = { agentsDomain: 'agents.example.com', agentsCertificateArn: CERTIFICATE };
const ofOnesOwn = {
  ...context,
  ...ownNetwork,
  ...ownDomain,
  agentAllowedCidrs: '203.0.113.0/24, 2001:db8::/32',
  agentWebAclArn: WEB_ACL,
};
const manyRanges = Array.from({ length: 400 }, (_, index) => `10.${index >> 8}.${index & 255}.0/24`).join();

/**
 * How agents on Fargate are reached: the front, the network around it, and settings of both. Part of the file
 * of the template: to load the CDK takes seconds.
 */
export function frontTests(): void {
  const withAgents = () => synthesised(context);
  const propertiesOf = (type: string, stacks = withAgents()) =>
    stacks.all(type).map(([, { Properties }]) => Properties);
  type Ingress = {
    FromPort: number;
    CidrIp?: unknown;
    SourcePrefixListId?: unknown;
    SourceSecurityGroupId?: unknown;
  };
  /** All rules of who may come in, in groups and beside them. */
  const ingress = (stacks = withAgents()): Ingress[] => {
    const groups = propertiesOf('AWS::EC2::SecurityGroup', stacks);
    // CloudFormation's own shape of both.
    const within = groups.flatMap(({ SecurityGroupIngress = [] }) => SecurityGroupIngress as Ingress[]);
    return [...within, ...(propertiesOf('AWS::EC2::SecurityGroupIngress', stacks) as Ingress[])];
  };
  const questions = (stacks = withAgents()) => stacks.all('Custom::SlipwayNetwork');
  const textOf = (stacks: Synthesised) => JSON.stringify(stacks.stacks.get('Agents'));

  describe('the balancer', () => {
    it('is reached by CloudFront alone: by its addresses, its interfaces and its group', () => {
      const [balancer] = propertiesOf('AWS::ElasticLoadBalancingV2::LoadBalancer');
      expect(balancer).toMatchObject({ Scheme: 'internal' });
      expect(balancer?.SecurityGroups).toHaveLength(2);
      const subnets = propertiesOf('AWS::EC2::Subnet').filter(({ Tags }) =>
        JSON.stringify(Tags).includes('balancer'),
      );
      const sources = ingress()
        .filter(({ FromPort }) => FromPort === 80)
        .map(({ CidrIp, SourcePrefixListId: list, SourceSecurityGroupId: group }) => CidrIp ?? list ?? group);
      expect(sources).toEqual([
        ...subnets.map(({ CidrBlock }) => CidrBlock),
        { 'Fn::GetAtt': [expect.stringContaining('FrontAddresses'), 'PrefixListId'] },
        { 'Fn::GetAtt': [expect.stringContaining('FrontGroup'), 'GroupId'] },
      ]);
      expect(subnets).toHaveLength(2);
    });

    it('has a group for the addresses of CloudFront, which they fill', () => {
      const [list, ...others] = propertiesOf('AWS::EC2::SecurityGroupIngress').filter(
        ({ SourcePrefixListId }) => SourcePrefixListId !== undefined,
      );
      expect(others).toEqual([]);
      expect(JSON.stringify(list?.GroupId)).toContain('NetworkFrontGroup');
      const rules = propertiesOf('AWS::EC2::SecurityGroupIngress').filter(
        ({ GroupId }) => JSON.stringify(GroupId) === JSON.stringify(list?.GroupId),
      );
      expect(rules).toHaveLength(1);
    });

    it('asks for the group of CloudFront once it has its origin, and leaves it before that goes', () => {
      const agents = withAgents().stacks.get('Agents') ?? {};
      const [question] = questions().filter(([, { Properties }]) => Properties.Find === 'front-group');
      expect(question?.[1].Properties).toMatchObject({ Release: manifest.version });
      const [front] = Object.entries(agents).filter(([, { Type }]) => Type.endsWith('::Distribution'));
      expect(question?.[1].DependsOn).toContain(front?.[0]);
      expect(JSON.stringify(front)).toContain('VpcOrigin');
    });
  });

  it("are what the console's page may ask: at the front, and at the hosts of their domain", () => {
    const originsOf = (stacks: Synthesised) => {
      const functions = stacks.all('AWS::Lambda::Function');
      const [, made] = functions.find(([id]) => id.includes('getconsoleFunction')) ?? [];
      return JSON.stringify(made?.Properties).match(/"AGENT_ORIGINS":(.*?\]\]\}|"[^"]*")/)?.[1];
    };
    const front = /^\{"Fn::Join":\["",\["https:\/\/",\{"Ref":"\w*FrontDistribution\w*DomainName"\}/;
    expect(originsOf(withAgents())).toMatch(front);
    expect(originsOf(withAgents())).not.toContain('*');
    expect(originsOf(synthesised(ofOnesOwn))).toMatch(front);
    expect(originsOf(synthesised(ofOnesOwn))).toContain('",https://*.agents.example.com"');
  });

  describe('the network', () => {
    it('is named by what a deploy prints, so that a database can admit agents', () => {
      const names = Object.keys(withAgents().outputs).filter((name) => name.startsWith('Agents'));
      const network = ['AgentsNetwork', 'AgentsSubnets', 'AgentsSecurityGroup'];
      expect(names).toEqual(['AgentsUrl', ...network]);
      const domain = Object.keys(synthesised(ofOnesOwn).outputs).filter((name) => name.startsWith('Agents'));
      expect(domain).toEqual(['AgentsUrl', 'AgentsRecord', ...network]);
    });

    it('may be one’s own, which is asked for before anything is made in it', () => {
      const given = synthesised(ofOnesOwn);
      expect(propertiesOf('AWS::EC2::VPC', given)).toEqual([]);
      expect(propertiesOf('AWS::EC2::Subnet', given)).toEqual([]);
      const [balancer] = propertiesOf('AWS::ElasticLoadBalancingV2::LoadBalancer', given);
      expect(balancer).toMatchObject({ Subnets: ['subnet-0000000c', 'subnet-0000000d'] });
      expect(textOf(given)).toMatch(/"AGENTS_SUBNETS":"subnet-0000000a,subnet-0000000b"/);
      expect(questions(given).map(([, { Properties }]) => Properties)).toContainEqual(
        expect.objectContaining({
          Find: 'given-network',
          VpcId: 'vpc-00000001',
          AgentSubnets: ['subnet-0000000a', 'subnet-0000000b'],
          BalancerSubnets: ['subnet-0000000c', 'subnet-0000000d'],
        }),
      );
      const groups = propertiesOf('AWS::EC2::SecurityGroup', given);
      expect(groups.map(({ VpcId }) => VpcId)).toEqual(['vpc-00000001', 'vpc-00000001', 'vpc-00000001']);
      const cidrs = ingress(given).flatMap(({ CidrIp }) => CidrIp ?? []);
      expect(cidrs).toEqual([
        { 'Fn::GetAtt': [expect.stringContaining('Given'), 'BalancerCidr0'] },
        { 'Fn::GetAtt': [expect.stringContaining('Given'), 'BalancerCidr1'] },
      ]);
    });

    it.each([
      ['10.42.0.0/16', ['10.42.0.0/20', '10.42.16.0/20', '10.42.32.0/26', '10.42.32.64/26']],
      ['10.9.0.0/20', ['10.9.0.0/22', '10.9.4.0/22', '10.9.8.0/26', '10.9.8.64/26']],
      ['172.16.4.0/22', ['172.16.4.0/24', '172.16.5.0/24', '172.16.6.0/26', '172.16.6.64/26']],
    ])('has the addresses %s when they are given', (agentCidr, subnets) => {
      const given = synthesised({ ...context, agentCidr });
      expect(propertiesOf('AWS::EC2::VPC', given)).toEqual([
        expect.objectContaining({ CidrBlock: agentCidr }),
      ]);
      expect(propertiesOf('AWS::EC2::Subnet', given).map(({ CidrBlock }) => CidrBlock)).toEqual(subnets);
    });
  });

  describe('the front', () => {
    it('is closed to addresses that are not given, and by a firewall that is', () => {
      const codes = (stacks: Synthesised) =>
        propertiesOf('AWS::CloudFront::Function', stacks).map(({ FunctionCode }) => String(FunctionCode));
      expect(codes(withAgents()).join('')).not.toContain('viewer.ip');
      expect(codes(synthesised(ofOnesOwn)).filter((text) => text.includes('viewer.ip'))).toHaveLength(1);
      const config = (stacks: Synthesised) =>
        propertiesOf('AWS::CloudFront::Distribution', stacks)[0]?.DistributionConfig;
      expect(config(withAgents())).not.toHaveProperty('WebACLId');
      expect(config(synthesised(ofOnesOwn))).toHaveProperty('WebACLId', WEB_ACL);
    });

    it('has a host for each agent under a domain of one’s own', () => {
      const [front] = propertiesOf('AWS::CloudFront::Distribution', synthesised(ofOnesOwn));
      expect(front?.DistributionConfig).toMatchObject({
        Aliases: ['*.agents.example.com'],
        ViewerCertificate: { AcmCertificateArn: CERTIFICATE },
      });
      expect(textOf(synthesised(ofOnesOwn))).toContain('"AGENTS_DOMAIN":"agents.example.com"');
      expect(JSON.stringify(synthesised(ofOnesOwn).outputs.AgentsRecord)).toMatch(
        /"\*\.agents\.example\.com CNAME ",{"Fn::GetAtt"/,
      );
    });
  });

  it.each<[Record<string, string>, RegExp]>([
    [{ agentVpcId: 'vpc-00000001' }, /agentVpcId, agentSubnets and balancerSubnets go together/],
    [{ agentSubnets: 'subnet-0000000a,subnet-0000000b' }, /go together/],
    [{ ...ownNetwork, agentZones: 'us-east-1b,us-east-1c' }, /agentZones .*do not go with agentVpcId/],
    [{ ...ownNetwork, agentCidr: '10.9.0.0/20' }, /agentCidr .*do not go with agentVpcId/],
    [
      { ...ownNetwork, balancerSubnets: 'subnet-0000000b,subnet-0000000d' },
      /subnet-0000000b is among agentSubnets and balancerS/,
    ],
    [
      { ...ownNetwork, agentSubnets: 'subnet-0000000a,subnet-0000000a' },
      /two different subnets[^]*agentSubnets/,
    ],
    [{ ...ownNetwork, agentSubnets: 'subnet-0000000a' }, /two ids of subnets[^]*agentSubnets/],
    [{ agentCidr: '10.9.0.0/24' }, /to \/22[^]*agentCidr/],
    [{ agentCidr: '10.0.0.0/8' }, /from \/16[^]*agentCidr/],
    [{ agentCidr: '10.9.1.0/20' }, /10\.9\.1\.0 is not the first address of a \/20/],
    [{ agentCidr: '10.9.0.0' }, /a network such as/],
    [{ agentCidr: '10.900.0.0/16' }, /a network such as/],
    [{ agentAllowedCidrs: ',' }, /no range of addresses/],
    [{ agentAllowedCidrs: 'office' }, /'office' is no range of addresses/],
    [{ agentAllowedCidrs: '203.0.113.0/33' }, /is no range/],
    [{ agentAllowedCidrs: '::ffff:203.0.113.0/120' }, /write it as IPv4/],
    [{ agentAllowedCidrs: manyRanges }, /^(?=[^]*400 ranges)[^]*room for the first 2\d\d\./],
    [{ agentWebAclArn: WEB_ACL.replace('us-east-1', 'eu-west-1') }, /us-east-1[^]*agentWebAclArn/],
    [{ agentsDomain: 'agents.example.com' }, /agentsDomain and agentsCertificateArn go together/],
    [{ ...ownDomain, agentsDomain: '*.example.com' }, /without \*\./],
    [
      { ...ownDomain, agentsCertificateArn: CERTIFICATE.replace('us-east-1', 'eu-west-1') },
      /CloudFront takes no/,
    ],
    [
      { ...ownDomain, domainName: 'api.agents.example.com', certificateArn: CERTIFICATE },
      /lies in agentsDomain/,
    ],
  ])('refuses settings in words: %o', (wrong, reason) => {
    expect(() => synthesised({ ...context, ...wrong })).toThrow(reason);
  });
}
