// The recipients of a trigger, each as a link.
import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'react-router'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { paths } from '../../parts/paths.ts'

export const recipientFields = graphql(`
  fragment RecipientFields on Event @_unmask {
    to {
      __typename
      ... on SubscriberRecipient {
        subscriberId
        subscriber {
          id
        }
      }
      ... on TopicRecipient {
        topicKey
        topic {
          id
        }
        exclude
      }
    }
  }
`)

/** A link to what exists, and otherwise its name. */
export function Named({ name, to }: { readonly name: string; readonly to: string | null }) {
  return to === null ? (
    `${name} (deleted)`
  ) : (
    <Anchor inherit underline="always" component={Link} to={to}>
      {name}
    </Anchor>
  )
}

export function TriggerRecipients({ to }: Pick<ResultOf<typeof recipientFields>, 'to'>) {
  return (
    <Group gap="xs">
      {to.map((recipient) => {
        if (recipient.__typename === 'SubscriberRecipient') {
          const { subscriberId, subscriber } = recipient
          return (
            <Text key={`subscriber ${subscriberId}`} inherit span>
              <Named name={subscriberId} to={subscriber && paths.subscriber(subscriberId)} />
            </Text>
          )
        }
        if (recipient.__typename === 'EveryoneRecipient') {
          return (
            <Text key="everyone" inherit span>
              everyone
            </Text>
          )
        }
        const { topicKey, topic, exclude } = recipient
        return (
          <Text key={`topic ${topicKey}`} inherit span>
            topic <Named name={topicKey} to={topic && paths.topic(topicKey)} />
            {exclude.length > 0 && ` without ${exclude.join(', ')}`}
          </Text>
        )
      })}
    </Group>
  )
}
