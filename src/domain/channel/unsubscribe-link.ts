// The links of messages by which their recipients unsubscribe. Stored content has an example in the place of the token,
// which lets its holder change preferences: only the message that leaves the gateway has the token.
import type { Content } from './content.ts'
import { shortId } from './short-id.ts'

/** The variable `unsubscribe` of templates. */
export interface UnsubscribeVariables {
  /** The page that unsubscribes. Empty if the message has no link. */
  readonly url: string
  /** The page with all preferences of the subscriber. Empty if the message has no link. */
  readonly preferencesUrl: string
}

const EXAMPLE = 'example'

/** True for what stands for a token in content that is stored or shown. Links with it change nothing. */
export const isExampleToken = (token: string): boolean => token === EXAMPLE || token.startsWith(`${EXAMPLE}-`)

/**
 * What stands for the token in the content of an event. The id of the event is unknown to those whose texts are in the
 * payload, so that they cannot get the token into a link of their own.
 */
const exampleTokenOf = (eventId: string) => `${EXAMPLE}-${shortId(eventId)}`

export const noLinks: UnsubscribeVariables = { url: '', preferencesUrl: '' }

/** @param publicUrl the https address of the gateway, without a slash at its end. */
export const linksWith = (publicUrl: string, token: string): UnsubscribeVariables => ({
  url: `${publicUrl}/u/${token}`,
  preferencesUrl: `${publicUrl}/p/${token}`,
})

/** Returns the links of the messages of an event, with the example. */
export const exampleLinksOf = (publicUrl: string, eventId: string): UnsubscribeVariables =>
  linksWith(publicUrl, exampleTokenOf(eventId))

/** The link of a test message. */
export const testLink = (publicUrl: string): string => linksWith(publicUrl, EXAMPLE).url

/** Returns content with a token in place of the example of its event. */
export function withToken(content: Content, eventId: string, token: string): Content {
  const example = exampleTokenOf(eventId)
  const fill = (text: string) => text.replaceAll(example, token)
  const { subject, body, email, unsubscribe } = content
  return {
    ...content,
    subject: subject === null ? null : fill(subject),
    body: fill(body),
    ...(email && {
      email: {
        ...email,
        ...(email.preheader !== undefined && { preheader: fill(email.preheader) }),
        ...(email.text !== undefined && { text: fill(email.text) }),
        ...(email.headers && { headers: email.headers.map(({ name, value }) => ({ name, value: fill(value) })) }),
      },
    }),
    ...(unsubscribe !== undefined && { unsubscribe: fill(unsubscribe) }),
  }
}

/** Returns true if content has the example of its event, so that its message needs a token. */
export function hasLinks({ subject, body, email, unsubscribe }: Content, eventId: string): boolean {
  const { headers = [], preheader = '', text = '' } = email ?? {}
  const example = exampleTokenOf(eventId)
  return [subject ?? '', body, unsubscribe ?? '', preheader, text, ...headers.map(({ value }) => value)].some((one) =>
    one.includes(example),
  )
}
