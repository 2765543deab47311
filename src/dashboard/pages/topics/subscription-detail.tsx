// One topic subscription: its subscriber, contexts and preferences.
import { Anchor, Group, Modal, Paper, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, useParams } from 'react-router'
import { useQuery } from 'urql'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { Answer } from '../../parts/answer.tsx'
import { ContextLinks } from '../../parts/context-links.tsx'
import { Copyable } from '../../parts/copyable.tsx'
import { useDeletion } from '../../parts/action/deletion.ts'
import { EditAndDelete } from '../../parts/action/edit-and-delete.tsx'
import { Facts } from '../../parts/facts.tsx'
import { JsonBlock } from '../../parts/json-block.tsx'
import { showDone } from '../../parts/messages.ts'
import { Missing } from '../../parts/missing.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import {
  entryOf,
  type Preference,
  preferenceFields,
  preferenceInput,
  tagsOf,
  workflowsOf,
} from './preference-entries.ts'
import { SubscriptionForm } from './subscription-form.tsx'

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

const deleteTopicSubscriptionsMutation = graphql(`
  mutation DeleteTopicSubscriptions($input: DeleteTopicSubscriptionsInput!) {
    deleteTopicSubscriptions(input: $input) {
      deletedIds
      userErrors {
        message
        field
      }
    }
  }
`)

function PreferenceCard({ preference }: { readonly preference: Preference }) {
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Group gap="xs">
          <StateBadge color={preference.enabled ? 'green' : 'gray'}>
            {preference.enabled ? 'Delivered' : 'Not delivered'}
          </StateBadge>
          {workflowsOf(preference).map(({ id, identifier, name }) => (
            <Anchor key={id} component={Link} to={paths.workflow(identifier)} size="sm">
              {name}
            </Anchor>
          ))}
          {tagsOf(preference).map((tag) => (
            <Text key={tag} size="sm" c="dimmed">
              workflows tagged {tag}
            </Text>
          ))}
        </Group>
        {preference.condition !== null && <JsonBlock value={preference.condition} label="Condition" />}
      </Stack>
    </Paper>
  )
}

export function Component() {
  const { key = '', identifier = '' } = useParams()
  const [editing, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const query = useQuery({
    query: topicSubscriptionQuery,
    variables: { topicKey: key, identifier },
  })
  const [{ data }] = query
  const [updateSubscription, updating] = useAct(updateTopicSubscriptionMutation)
  const deleteSubscriptions = useDeletion(deleteTopicSubscriptionsMutation)

  const askToDelete = () =>
    deleteSubscriptions(
      { topicKey: key, subscriptions: [{ identifier }] },
      {
        what: `subscription ${identifier}`,
        consequence: `What is sent to the topic ${key} no longer reaches the subscriber through this subscription. This cannot be undone.`,
        list: paths.topic(key),
      },
    )

  const actions = canWrite && data?.topicSubscription && <EditAndDelete onEdit={open} onDelete={askToDelete} />
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
                    <Anchor inherit component={Link} to={paths.subscriber(subscription.subscriber.subscriberId)}>
                      {subscription.subscriber.subscriberId}
                    </Anchor>
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
                <Modal opened onClose={close} title="Edit subscription">
                  <SubscriptionForm
                    initial={{
                      subscriberId: subscription.subscriber.subscriberId,
                      identifier,
                      name: subscription.name ?? '',
                      contexts: [...subscription.contextKeys],
                      preferences: subscription.preferences.map(entryOf),
                    }}
                    exists
                    submitLabel="Save"
                    pending={updating}
                    onSubmit={async ({ name, preferences }) => {
                      const outcome = await updateSubscription({
                        topicKey: key,
                        identifier,
                        name: name === '' ? null : name,
                        preferences: preferences.map(preferenceInput),
                      })
                      if (!outcome.ok) return outcome.problems
                      showDone('Subscription saved.')
                      close()
                      return []
                    }}
                  />
                </Modal>
              )}
            </>
          )
        }
      </Answer>
    </Page>
  )
}
