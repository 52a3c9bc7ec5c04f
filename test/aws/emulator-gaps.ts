/** What the emulator lacks, and what the tests do about it. They print this list. */
export const emulatorGaps: readonly { lacks: string; so: string }[] = [
  {
    lacks: 'It serves plain HTTP, and refuses it where bucket policies ask for TLS.',
    so: 'emulator.py counts every request as one over TLS; the policies are checked in the template.',
  },
  {
    lacks: 'A build ends as SUCCEEDED when it is started, without the environment it was given.',
    so: 'emulator.py keeps it running, with its environment, until the test ends it; the builder itself is tested apart.',
  },
  {
    lacks: 'Builds send no events and write no logs.',
    so: 'The test sends both as CodeBuild would: PutEvents to the default bus (where emulator.py admits sources of AWS), PutLogEvents to the log group of builds.',
  },
  {
    lacks:
      'Answers to tasks, and what asks for builds by their ids, are authorised on `*` only; AWS does it on the state machine and on the project, which our roles name.',
    so: 'emulator.py names to its authorisation the state machine that has handed out the token, and the project in the id of a build.',
  },
  {
    lacks:
      'What does not change in a nested stack that is updated loses its attributes, and with them the stack.',
    so: 'emulator.py keeps them.',
  },
  {
    lacks: 'A function that fails in a state that waits for a token leaves it waiting.',
    so: 'emulator.py fails the state with its error.',
  },
  {
    lacks: 'Alarms on a calculation over several metrics are refused.',
    so: 'emulator.py keeps them as alarms on the first of the metrics; alarms are checked in the template.',
  },
  {
    lacks: 'Buckets that a stack makes have no tags; by one the CDK knows which of them it may empty.',
    so: 'emulator.py gives them their tags.',
  },
  {
    lacks: 'An alarm reaches its topic whatever the policy of the topic says.',
    so: 'The message is awaited here; the policy is checked in the template.',
  },
  {
    lacks:
      'API Gateway takes changes of one API at the same time, and the data stack has no termination protection here.',
    so: 'The order of the areas and stages, and the protections, are checked in the template.',
  },
  {
    lacks: 'Subscriptions to logs look for words, and take a pattern of JSON fields for some.',
    so: 'emulator.py reads such patterns, as far as ours go.',
  },
  {
    lacks: 'Cookies of requests stay in their header, where API Gateway hands them over on their own.',
    so: 'Pages read both; unit tests of them have the form of API Gateway.',
  },
  {
    lacks: 'The path in events of a stage other than $default does not begin with the name of the stage.',
    so: 'Both forms are covered by unit tests of what reads the path.',
  },
  {
    lacks: 'Rules of security groups that stand beside their group, and the group that CloudFront makes.',
    so: 'emulator_compute.py keeps such rules, makes that group with the first origin in a network, and cannot delete it while a rule names it. No traffic is filtered.',
  },
];
