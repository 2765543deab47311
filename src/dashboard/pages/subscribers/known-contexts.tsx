// The sets of contexts in which a subscriber has preferences, events or subscriptions, to choose from.
import { Chip, Group, Input } from '@mantine/core'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'

const knownContextsQuery = graphql(`
  query KnownContexts($subscriberId: String!) {
    subscriber(subscriberId: $subscriberId) {
      id
      preferenceContexts {
        contextKeys
      }
      events(first: 100) {
        nodes {
          id
          contextKeys
        }
      }
      topicSubscriptions(first: 100) {
        nodes {
          id
          contextKeys
        }
      }
    }
  }
`)

/** The maximum number of sets to offer. Others can be typed. */
const MAX_SETS = 20

interface KnownContextsProps {
  readonly subscriberId: string
  /** The keys of the chosen set, joined by commas. */
  readonly value: string
  readonly onChange: (value: string) => void
}

/**
 * The sets of the subscriber's preferences, newest events and topic subscriptions. Shows nothing if there is only the
 * empty set.
 */
export function KnownContexts({ subscriberId, value, onChange }: KnownContextsProps) {
  const [{ data }] = useQuery({ query: knownContextsQuery, variables: { subscriberId } })
  const subscriber = data?.subscriber
  if (!subscriber) return null
  const owners = [...subscriber.preferenceContexts, ...subscriber.events.nodes, ...subscriber.topicSubscriptions.nodes]
  const sets = [...new Set(['', ...owners.map(({ contextKeys }) => contextKeys.toSorted().join(','))])]
  if (sets.length === 1) return null
  return (
    <Input.Wrapper label="Contexts of this subscriber" labelElement="div">
      <Chip.Group value={value} onChange={onChange}>
        <Group gap="xs" role="radiogroup" aria-label="Contexts of this subscriber">
          {sets.slice(0, MAX_SETS).map((set) => (
            <Chip key={set} value={set} size="xs" variant="light">
              {set === '' ? 'Without context' : set.replaceAll(',', ' + ')}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Input.Wrapper>
  )
}
