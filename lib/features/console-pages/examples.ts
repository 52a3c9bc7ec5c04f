export const consolePageExamples = {
  getConsole: { response: { contentType: 'text/html', text: '<!doctype html>…', isBase64: false } },
  getConsolePart: { response: { contentType: 'text/javascript', text: 'Cw==', isBase64: true } },
};
