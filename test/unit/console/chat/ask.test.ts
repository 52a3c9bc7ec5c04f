import { expect, it } from 'vitest';
import { questionOf, resumeOf } from '../../../../console/logic/chat/ask.ts';
import { filled, initialOf } from '../../../../console/logic/chat/fields.ts';

const asked = (value: unknown, schema?: unknown) => questionOf({ value, schema });

/** What goes back when the form is sent as it is, by the label of the button. */
function repliesOf(value: unknown, typed: Record<string, string> = {}) {
  const { fields, replies } = asked(value);
  const form = filled(fields, { ...initialOf(fields), ...typed });
  return Object.fromEntries(replies.map(({ label, resume }) => [label, resume(form.value)]));
}

const approval = (args: object, allowed = ['approve', 'edit', 'reject'], count = 1) => ({
  action_requests: Array.from({ length: count }, () => ({
    name: 'send_refund',
    args,
    description: 'Sends money',
  })),
  review_configs: [{ action_name: 'send_refund', allowed_decisions: allowed }],
});

it('the call of a tool is approved, edited or rejected', () => {
  const value = approval({ amount: 48.2, note: null });
  expect(asked(value)).toMatchObject({
    title: 'The agent asks before it calls send_refund',
    about: 'Sends money',
  });
  const approved = { decisions: [{ type: 'approve' }] };
  expect(repliesOf(value)).toEqual({
    'Approve send refund': approved,
    Reject: { decisions: [{ type: 'reject' }] },
  });
  expect(filled(asked({ to: 'a' }).fields, { to: '' })).toEqual({ value: { to: '' }, problems: {} });
  expect(repliesOf(value, { amount: '20' })['Approve send refund']).toEqual({
    decisions: [{ type: 'edit', edited_action: { name: 'send_refund', args: { amount: 20, note: null } } }],
  });
});

it('where nothing may be edited the call is only shown, and several are decided together', () => {
  const value = approval({ amount: 1 }, ['approve', 'reject'], 2);
  expect(asked(value).fields).toEqual([]);
  expect(repliesOf(value)).toEqual({
    'Approve all 2': { decisions: [{ type: 'approve' }, { type: 'approve' }] },
    'Reject all 2': { decisions: [{ type: 'reject' }, { type: 'reject' }] },
  });
});

it('the older inbox is answered in its own words, in a list where it asked in one', () => {
  const config = { allow_accept: true, allow_edit: true, allow_ignore: true };
  const value = { action_request: { action: 'mail', args: { to: 'a' } }, config, description: 'A letter' };
  expect(repliesOf([value])).toEqual({
    'Approve mail': [{ type: 'accept', args: null }],
    Ignore: [{ type: 'ignore', args: null }],
  });
  expect(repliesOf(value, { to: 'b' })['Approve mail']).toEqual({
    type: 'edit',
    args: { action: 'mail', args: { to: 'b' } },
  });
});

it('a schema makes the form, beside the value or in it', () => {
  const schema = { type: 'object', properties: { days: { type: 'integer' } }, required: ['days'] };
  for (const question of [asked('How long?', schema), asked({ question: 'How long?', schema })])
    expect([question.title, question.fields.map(({ name, kind }) => [name, kind])]).toEqual([
      'How long?',
      [['days', 'number']],
    ]);
});

it('options are buttons', () => {
  expect(repliesOf({ question: 'Which?', options: ['left', 'right'] })).toEqual({
    left: 'left',
    right: 'right',
  });
});

it('members of a value can be changed and go back, without the question itself', () => {
  const value = { question: 'Refund the order?', amount: 48.2, is_gift: false, lines: [1] };
  expect(asked(value).fields.map(({ label, kind }) => [label, kind])).toEqual([
    ['Amount', 'number'],
    ['Is gift', 'yes-no'],
    ['Lines', 'json'],
  ]);
  expect(repliesOf(value, { is_gift: 'true' })).toEqual({
    'Send answer': { amount: 48.2, is_gift: true, lines: [1] },
  });
});

it('a text is answered with a text, and a value without words is shown', () => {
  expect([asked('ok?').title, repliesOf('ok?', { answer: 'yes' })]).toEqual([
    'ok?',
    { 'Send answer': 'yes' },
  ]);
  expect(asked(7)).toMatchObject({ title: 'The agent waits for an answer', shownValue: 7 });
});

it('one answer goes back as it is, several by the ids of their questions', () => {
  expect(resumeOf([{ id: 'a', value: 1 }])).toBe(1);
  expect(
    resumeOf([
      { id: 'a', value: 1 },
      { id: 'b', value: null },
    ]),
  ).toEqual({ a: 1, b: null });
});
