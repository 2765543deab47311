// The variables that every template and condition can read.

export const commonVariables: readonly string[] = [
  'subscriber.subscriberId',
  'subscriber.firstName',
  'subscriber.lastName',
  'subscriber.email',
  'subscriber.phone',
  'subscriber.locale',
  'subscriber.timezone',
  'subscriber.data',
  'context',
  'workflow.name',
  'workflow.identifier',
  'actor.firstName',
  'actor.lastName',
  'digest.count',
  'digest.events',
  'transactionId',
]
