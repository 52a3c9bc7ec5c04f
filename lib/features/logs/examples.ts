const answer = {
  logs: [
    {
      id: '1795260553502-1',
      timestamp: 1795260553502,
      level: 'INFO',
      message: 'Cloning https://git.example/team/support-agent.git at main',
    },
  ],
  next_offset: 'YXNjOjE3OTUyNjA1NTM1MDItMQ',
};
const query = { body: { order: 'asc', limit: 50 }, response: answer };

export const logExamples = {
  queryBuildLogs: query,
  queryDeployLogs: query,
  queryProjectDeployLogs: query,
  queryRevisionLogs: { response: answer },
  queryDeploymentLogs: { response: answer },
};
