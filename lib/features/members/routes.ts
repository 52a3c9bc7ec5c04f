import * as z from 'zod';
import { route } from '../../contract/routes/route.ts';
import { id, page } from '../../contract/validation/query.ts';
import { memberListView, memberView, putMemberBody } from './shape.ts';

export const putMember = route({
  operation: 'putMember',
  method: 'POST',
  path: '/v2/members',
  handler: 'functions/api/members/put.ts',
  access: ['table:get', 'table:put'],
  audit: ['membership.change'],
  area: 'identity',
  permission: 'members:write',
  summary: 'Give a user of the identity provider a role in the tenant',
  success: 201,
  body: putMemberBody,
  response: memberView,
});

export const listMembers = route({
  operation: 'listMembers',
  method: 'GET',
  path: '/v2/members',
  handler: 'functions/api/members/list.ts',
  access: ['table:get', 'table:query'],
  area: 'identity',
  permission: 'members:read',
  summary: 'List the users of the identity provider that have a role in the tenant',
  success: 200,
  query: z.object(page),
  response: memberListView,
});

export const removeMember = route({
  operation: 'removeMember',
  method: 'DELETE',
  path: '/v2/members/{member_id}',
  handler: 'functions/api/members/remove.ts',
  access: ['table:get', 'table:update', 'table:delete'],
  audit: ['membership.remove'],
  area: 'identity',
  permission: 'members:write',
  summary: 'Take a user’s role in the tenant, at once',
  success: 204,
  params: z.object({ member_id: id }),
  response: null,
  errors: ['member_not_found'],
});
