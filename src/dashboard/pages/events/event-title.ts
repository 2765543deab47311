// The title of an event in words: its workflow, its recipients and its age.
import type { ResultOf } from '../../graph/graphql.ts'
import { fromNow } from '../../parts/moment.tsx'
import type { recipientFields } from './trigger-recipients.tsx'

interface TitledEvent extends Pick<ResultOf<typeof recipientFields>, 'to'> {
  readonly workflow: { readonly name: string } | null
  readonly workflowSnapshot: { readonly name: string }
  readonly createdAt: string
}

function nameOf(recipient: TitledEvent['to'][number]): string {
  switch (recipient.__typename) {
    case 'SubscriberRecipient':
      return recipient.subscriberId
    case 'TopicRecipient':
      return `topic ${recipient.topicKey}`
    case 'EveryoneRecipient':
      return 'everyone'
  }
}

function recipientsInWords([first, ...others]: TitledEvent['to']): string {
  if (first === undefined) return 'nobody'
  const name = nameOf(first)
  if (others.length === 0) return name
  return `${name} and ${others.length} ${others.length === 1 ? 'other' : 'others'}`
}

/** A title that changes each second would be hard to read and to hear. */
const SECONDS = 60_000

const ageOf = (at: Date): string => (Date.now() - at.getTime() < SECONDS ? 'just now' : fromNow(at))

/** Returns a title such as `Release announced, to topic releases`. */
export const eventTitle = ({ workflow, workflowSnapshot, to }: TitledEvent): string =>
  `${workflow?.name ?? workflowSnapshot.name}, to ${recipientsInWords(to)}`

/** Returns a heading such as `Release announced, to topic releases, 2 days ago`. */
export const eventHeading = (event: TitledEvent): string => `${eventTitle(event)}, ${ageOf(new Date(event.createdAt))}`
