import { CREATED, page } from '../../contract/example-values.ts';

const member = {
  id: '01a1fdd2-3d4e-7f50-9b6c-7d8e9f0a1b2c',
  user_id: 'auth0|5f7c8ec7c33c6c004bbafe82',
  role: 'developer',
  created_at: CREATED,
};

export const memberExamples = {
  putMember: { body: { user_id: member.user_id, role: 'developer' }, response: member },
  listMembers: page(member),
};
