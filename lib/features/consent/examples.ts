const AUTH_ID = '01a1fdd7-8293-7495-a0b1-c2d3e4f50617';
const URL = `https://slipway.example/v2/auth/begin/AZD-nonce-that-is-known-to-nobody-else`;
const page = { response: { contentType: 'text/html', text: '<!doctype html>…' } };
const completed = { response: { status: 'completed', auth_id: AUTH_ID } };
const code = { body: { state: 'AZD-state-of-the-request', code: 'what-the-provider-gave' }, ...completed };

export const consentExamples = {
  authenticate: {
    body: { provider: 'calendar', scopes: ['events.read'], user_id: 'mary', agent_id: 'assistant' },
    response: { status: 'pending', url: URL, auth_id: AUTH_ID, user_id: 'mary' },
  },
  waitForConsent: {
    response: {
      status: 'completed',
      token: 'an-access-token',
      user_id: 'mary',
      metadata: { team: 'support' },
    },
  },
  showBegin: page,
  callbackPage: page,
  callbackPageAlias: page,
  callback: code,
  callbackAlias: code,
  completeConsent: { body: { confirmation_code: '09AF-1B2C-3D4E-5F60-7182-93A4-B5C6-D7E8' }, ...completed },
};
