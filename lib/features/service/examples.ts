export const serviceExamples = {
  getOk: { response: { ok: true } },
  getOpenApi: { response: { contentType: 'application/json', text: '{…}' } },
  getDocs: { response: { contentType: 'text/html', text: '<!doctype html>…' } },
  getDocsFile: { response: { contentType: 'text/javascript', text: '…' } },
};
