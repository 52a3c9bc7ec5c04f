export const serviceExamples = {
  getOk: { response: { ok: true } },
  getOpenApi: { response: { contentType: 'application/json', text: '{…}' } },
  getDocs: { response: { contentType: 'text/html', text: '<!doctype html>…' } },
  getConsole: { response: { contentType: 'text/html', text: '<!doctype html>…', isBase64: false } },
  getConsolePart: { response: { contentType: 'text/javascript', text: 'Cw==', isBase64: true } },
  getDocsFile: { response: { contentType: 'text/javascript', text: '…' } },
};
