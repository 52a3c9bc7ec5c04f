import * as z from 'zod';

const ids = z.array(z.string().min(1));

/** What a template asks the account about networks while it is deployed: properties of custom resources. */
export const networkQuestion = z.discriminatedUnion('Find', [
  /** Where requests of CloudFront come from. */
  z.object({ Find: z.literal('front-addresses') }),
  /** The group that CloudFront makes in a network; `OrElse` where it has made none. */
  z.object({ Find: z.literal('front-group'), VpcId: z.string().min(1), OrElse: z.string().min(1) }),
  /** Whether agents can run in a network that was there before, and what it is like. */
  z.object({
    Find: z.literal('given-network'),
    VpcId: z.string().min(1),
    AgentSubnets: ids,
    BalancerSubnets: ids,
  }),
]);
export type NetworkQuestion = z.infer<typeof networkQuestion>;

/** Names of what the template reads of the answers. */
export type NetworkAnswers = {
  'front-addresses': 'PrefixListId';
  'front-group': 'GroupId';
  'given-network': 'BalancerCidr0' | 'BalancerCidr1';
};
