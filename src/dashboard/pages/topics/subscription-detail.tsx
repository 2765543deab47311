// One topic subscription: its subscriber, contexts and preferences.
import { Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate, useParams } from 'react-router'
import { useQuery } from 'urql'
import { readsBack, useAct } from '../../graph/act.ts'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { useReadAgain } from '../../graph/read-again.ts'
import { Answer } from '../../parts/answer.tsx'
import { ContextLinks } from '../../parts/context-links.tsx'
import { Copyable } from '../../parts/copyable.tsx'
import { EditAndDelete } from '../../parts/action/edit-and-delete.tsx'
import { Facts } from '../../parts/facts.tsx'
import { showDone } from '../../parts/messages.ts'
import { Missing } from '../../parts/missing.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { PreferenceCard } from './preference-card.tsx'
import { comparableEntry, entryOf, preferenceFields, preferenceInput } from './preference-entries.ts'
import { useSubscriptionRemoval } from './remove-subscription.ts'
import { SubscriptionForm } from './subscription-form.tsx'
import type { SubscriptionValues } from './subscription-values.ts'
import { EditDialog } from '../../parts/form/edit-dialog.tsx'
import { RowLink } from '../../parts/row-link.tsx'

const topicSubscriptionQuery = graphql(
  `
    query TopicSubscription($topicKey: String!, $identifier: String!) {
      topicSubscription(topicKey: $topicKey, identifier: $identifier) {
        id
        identifier
        name
        contextKeys
        createdAt
        updatedAt
        version
        subscriber {
          id
          subscriberId
        }
        ...PreferenceFields
      }
    }
  `,
  [preferenceFields],
)

const updateTopicSubscriptionMutation = graphql(
  `
    mutation UpdateTopicSubscription($input: UpdateTopicSubscriptionInput!) {
      updateTopicSubscription(input: $input) {
        topicSubscription {
          id
          name
          updatedAt
          version
          ...PreferenceFields
        }
        userErrors {
          message
          field
        }
      }
    }
  `,
  [preferenceFields],
)

type Subscription = NonNullable<ResultOf<typeof topicSubscriptionQuery>['topicSubscription']>

const valuesOf = ({ subscriber, identifier, name, contextKeys, preferences }: Subscription): SubscriptionValues => ({
  subscriberId: subscriber.subscriberId,
  identifier,
  name: name ?? '',
  contexts: [...contextKeys],
  preferences: preferences.map(entryOf),
})

export function Component() {
  const { key = '', identifier = '' } = useParams()
  const [editing, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const query = useQuery({
    query: topicSubscriptionQuery,
    variables: { topicKey: key, identifier },
  })
  const [{ data }] = query
  const readAgain = useReadAgain(topicSubscriptionQuery, { topicKey: key, identifier })
  const [updateSubscription] = useAct(updateTopicSubscriptionMutation, readsBack)
  const removeSubscription = useSubscriptionRemoval()
  const navigate = useNavigate()

  const remove = async () => {
    if (await removeSubscription(key, identifier)) await navigate(paths.topic(key))
  }

  const actions = canWrite && data?.topicSubscription && <EditAndDelete onEdit={open} onDelete={() => void remove()} />
  return (
    <Page
      title={data?.topicSubscription?.name ?? identifier}
      parent={{ label: `Topic ${key}`, to: paths.topic(key) }}
      actions={actions}
    >
      <Answer query={query}>
        {({ topicSubscription: subscription }) =>
          subscription === null ? (
            <Missing what={`subscription ${identifier}`} list={{ label: `Topic ${key}`, to: paths.topic(key) }} />
          ) : (
            <>
              <Facts
                facts={{
                  Identifier: <Copyable value={subscription.identifier} label="identifier" />,
                  Subscriber: (
                    <RowLink to={paths.subscriber(subscription.subscriber.subscriberId)}>
                      {subscription.subscriber.subscriberId}
                    </RowLink>
                  ),
                  Name: subscription.name,
                  Contexts: <ContextLinks keys={subscription.contextKeys} />,
                  Created: <Moment at={subscription.createdAt} />,
                  Updated: <Moment at={subscription.updatedAt} />,
                }}
              />
              <Title order={2} size="h4">
                Preferences
              </Title>
              {subscription.preferences.length === 0 && (
                <Text c="dimmed">None. Every workflow triggered for the topic reaches this subscription.</Text>
              )}
              {subscription.preferences.map((preference, index) => (
                // Entries have no identity other than their position.
                <PreferenceCard key={index} preference={preference} />
              ))}
              {editing && (
                <EditDialog
                  title="Edit subscription"
                  what={`subscription ${identifier}`}
                  stored={subscription}
                  valuesOf={valuesOf}
                  labels={{ name: 'Name', preferences: 'Preferences' }}
                  shown={(values) => ({ ...values, preferences: values.preferences.map(comparableEntry) })}
                  read={async () => (await readAgain())?.topicSubscription}
                  save={async ({ name, preferences }, { version }) => {
                    const outcome = await updateSubscription({
                      topicKey: key,
                      identifier,
                      name: name === '' ? null : name,
                      preferences: preferences.map(preferenceInput),
                      expectedVersion: version,
                    })
                    if (!outcome.ok) return outcome.problems
                    showDone('Subscription saved.')
                    return []
                  }}
                  onClose={close}
                >
                  {(form) => <SubscriptionForm {...form} exists />}
                </EditDialog>
              )}
            </>
          )
        }
      </Answer>
    </Page>
  )
}
