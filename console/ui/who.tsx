import { useMe } from '../data/queries.ts';
import { chosenTenant } from '../data/session.ts';
import { roleWords } from '../logic/roles.ts';

/** Who is signed in, in which tenant and as what: whatever is done here is done in that name. */
export function Who() {
  const { data: me } = useMe();
  if (me === undefined) return null;
  const id = chosenTenant() ?? me.tenant_id;
  const tenant = me.tenants.find((each) => each.id === id)?.name ?? id;
  return (
    <p class="who small">
      <bdi title={`User ${me.user_id}`}>{me.user_id}</bdi>
      {tenant !== null && <bdi title={`Tenant ${id}`}>{tenant}</bdi>}
      {me.role !== null && <span class="quiet role">{roleWords[me.role] ?? me.role}</span>}
    </p>
  );
}
