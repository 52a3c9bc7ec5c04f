/** A subnet as it lies in the account. `zone` is the account's own name of its zone, `zoneId` everybody's. */
export type Subnet = { id: string; vpcId: string; zone: string; zoneId: string; cidr: string };

/** Networks of the account, for questions that only a deploy can ask. */
export type Networks = {
  /** The id of a list of addresses that AWS keeps, by its name. */
  prefixListId(name: string): Promise<string | undefined>;
  /** The id of a security group of a network, by its name. */
  securityGroupId(vpcId: string, name: string): Promise<string | undefined>;
  /** In the order of the ids. Throws for an id that is not there, in the words of AWS. */
  subnets(ids: readonly string[]): Promise<Subnet[]>;
  hasInternetGateway(vpcId: string): Promise<boolean>;
};
