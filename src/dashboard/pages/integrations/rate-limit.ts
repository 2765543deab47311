// The rate limit of an integration in a form and in words.

export const rateUnits = ['SECOND', 'MINUTE', 'HOUR', 'DAY'] as const

interface RateLimit {
  readonly messages: number
  readonly per: (typeof rateUnits)[number]
}

/** The values of the form. Without a number, there is no rate limit. */
export interface RateLimitValues {
  readonly messages: number | ''
  readonly per: RateLimit['per']
}

export const noRateLimit: RateLimitValues = { messages: '', per: 'SECOND' }

export const rateValuesOf = (rateLimit: RateLimit | null): RateLimitValues => rateLimit ?? noRateLimit

/** Returns the rate limit as mutation input. */
export const rateLimitOf = ({ messages, per }: RateLimitValues): RateLimit | null =>
  messages === '' ? null : { messages, per }

const number = new Intl.NumberFormat()

/** The limit in words, such as `14 messages per second`. */
export const rateInWords = ({ messages, per }: RateLimit): string =>
  `${number.format(messages)} ${messages === 1 ? 'message' : 'messages'} per ${per.toLowerCase()}`
