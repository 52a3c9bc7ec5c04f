import { route } from '../../contract/routes/route.ts';
import { eventListView, listEventsQuery } from './shape.ts';

export const listEvents = route({
  operation: 'listEvents',
  method: 'GET',
  path: '/v2/events',
  handler: 'functions/api/events/list.ts',
  access: ['table:get', 'table:query', 'table:put'],
  audit: { none: 'writes only that the events are being followed, for some seconds' },
  area: 'logs',
  permission: 'events:read',
  summary:
    'Read what happened in the tenant, oldest first, after a number; or follow it as an event stream. Events are kept for 30 days',
  success: 200,
  query: listEventsQuery,
  response: eventListView,
  eventStream: { list: 'resources', id: 'number', place: 'after' },
  writes: 'how many follow events of a tenant',
  errors: ['too_many_followers'],
});
