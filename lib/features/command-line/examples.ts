export const commandLineExamples = {
  getCli: { response: { contentType: 'text/plain', text: 'npm install --global …', isBase64: false } },
  getCliFile: { response: { contentType: 'application/gzip', text: 'H4sI…', isBase64: true } },
};
