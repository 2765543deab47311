// The recipients of a trigger, each as a link.
import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'react-router'
import { paths } from '../../parts/paths.ts'

type Value = Readonly<Record<string, unknown>>

/** The graph returns recipients as JSON: a list of `{subscriberId}` and `{topicKey, exclude}`. */
const isObject = (value: unknown): value is Value => typeof value === 'object' && value !== null

const excluded = ({ exclude }: Value): string =>
  Array.isArray(exclude) && exclude.length > 0 ? ` without ${exclude.join(', ')}` : ''

export function TriggerRecipients({ recipients }: { readonly recipients: unknown }) {
  const named = Array.isArray(recipients) ? recipients.filter(isObject) : []
  return (
    <Group gap="xs">
      {named.map((recipient) => {
        const { subscriberId, topicKey } = recipient
        if (typeof subscriberId === 'string') {
          return (
            <Anchor key={`subscriber ${subscriberId}`} inherit component={Link} to={paths.subscriber(subscriberId)}>
              {subscriberId}
            </Anchor>
          )
        }
        if (typeof topicKey !== 'string') return null
        return (
          <Text key={`topic ${topicKey}`} inherit span>
            topic{' '}
            <Anchor inherit underline="always" component={Link} to={paths.topic(topicKey)}>
              {topicKey}
            </Anchor>
            {excluded(recipient)}
          </Text>
        )
      })}
    </Group>
  )
}
