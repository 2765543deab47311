// Rate limits of integrations in the graph.
import { MAX_RATE, type RateLimit } from '../domain/rate-limit.ts'
import { builder } from './schema/builder.ts'

const RateUnit = builder.enumType('RateUnit', {
  description: 'The interval of a rate limit.',
  values: {
    SECOND: { value: 'second', description: 'A second.' },
    MINUTE: { value: 'minute', description: 'A minute.' },
    HOUR: { value: 'hour', description: 'An hour.' },
    DAY: { value: 'day', description: 'A day of 24 hours.' },
  } as const satisfies Record<Uppercase<RateLimit['per']>, { value: RateLimit['per']; description: string }>,
})

export const RateLimitRef = builder.objectRef<RateLimit>('RateLimit').implement({
  description:
    'The number of messages that an integration may send in an interval, whenever the interval begins. Messages beyond it wait: they do not fail, and no attempt is used up.',
  fields: (t) => ({
    messages: t.exposeInt('messages', { description: 'The maximum number of messages.' }),
    per: t.expose('per', { type: RateUnit, description: 'The interval.' }),
  }),
})

export const RateLimitInput = builder.inputType('RateLimitInput', {
  description: 'The number of messages that an integration may send in an interval.',
  fields: (t) => ({
    messages: t.int({ required: true, description: `The maximum number of messages: 1 to ${MAX_RATE}.` }),
    per: t.field({ type: RateUnit, required: true, description: 'The interval.' }),
  }),
})
