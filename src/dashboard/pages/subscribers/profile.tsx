// The profile of a subscriber.
import { Anchor, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { readsBack, useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { useReadAgain } from '../../graph/read-again.ts'
import { Answer } from '../../parts/answer.tsx'
import { Copyable } from '../../parts/copyable.tsx'
import { useDeletion } from '../../parts/action/deletion.ts'
import { EditAndDelete } from '../../parts/action/edit-and-delete.tsx'
import { Facts } from '../../parts/facts.tsx'
import { JsonBlock } from '../../parts/json-block.tsx'
import { showDone } from '../../parts/messages.ts'
import { Moment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { SubscriberForm } from './subscriber-form.tsx'
import { profileInput, profileLabels, profileValues } from './subscriber-values.ts'
import { EditDialog } from '../../parts/form/edit-dialog.tsx'

const profileFields = graphql(`
  fragment ProfileFields on Subscriber @_unmask {
    id
    subscriberId
    firstName
    lastName
    email
    phone
    avatar
    locale
    timezone
    data
    createdAt
    updatedAt
    version
  }
`)

const subscriberProfileQuery = graphql(
  `
    query SubscriberProfile($subscriberId: String!) {
      subscriber(subscriberId: $subscriberId) {
        ...ProfileFields
      }
    }
  `,
  [profileFields],
)

const updateSubscriberMutation = graphql(
  `
    mutation UpdateSubscriber($input: UpdateSubscriberInput!) {
      updateSubscriber(input: $input) {
        subscriber {
          ...ProfileFields
        }
        userErrors {
          message
          field
        }
      }
    }
  `,
  [profileFields],
)

const deleteSubscriberMutation = graphql(`
  mutation DeleteSubscriber($input: DeleteSubscriberInput!) {
    deleteSubscriber(input: $input) {
      deletedId
      userErrors {
        message
        field
      }
    }
  }
`)

export function Component() {
  const { subscriberId = '' } = useParams()
  const [editing, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const query = useQuery({ query: subscriberProfileQuery, variables: { subscriberId } })
  const readAgain = useReadAgain(subscriberProfileQuery, { subscriberId })
  const [updateSubscriber] = useAct(updateSubscriberMutation, readsBack)
  const deleteSubscriber = useDeletion(deleteSubscriberMutation)

  const askToDelete = () =>
    deleteSubscriber(
      { subscriberId },
      {
        what: `subscriber ${subscriberId}`,
        consequence:
          'Its feed, credentials, channel endpoints, preferences and topic subscriptions are deleted too, and nothing more is sent to it. Unfinished runs are cancelled. Its runs stay in the execution log, without addresses and texts. This cannot be undone. To remove every trace of the person, use “Data and privacy” instead.',
        list: paths.subscribers,
      },
    )

  return (
    <Answer query={query}>
      {({ subscriber }) =>
        subscriber && (
          <Stack>
            {canWrite && (
              <Group gap="xs">
                <EditAndDelete onEdit={open} onDelete={askToDelete} />
              </Group>
            )}
            <Facts
              facts={{
                'Subscriber id': <Copyable value={subscriber.subscriberId} label="subscriber id" />,
                'First name': subscriber.firstName,
                'Last name': subscriber.lastName,
                Email: subscriber.email === null ? null : <Copyable value={subscriber.email} label="email" />,
                Phone: subscriber.phone === null ? null : <Copyable value={subscriber.phone} label="phone" />,
                Locale: subscriber.locale,
                'Time zone': subscriber.timezone,
                // The page loads nothing from other hosts, so the picture is only a link.
                Avatar: subscriber.avatar === null ? null : <AvatarLink url={subscriber.avatar} />,
                Data: <JsonBlock value={subscriber.data} label="Data" />,
                Created: <Moment at={subscriber.createdAt} />,
                Updated: <Moment at={subscriber.updatedAt} />,
              }}
            />
            {editing && (
              <EditDialog
                title="Edit subscriber"
                size="lg"
                what={`subscriber ${subscriberId}`}
                stored={subscriber}
                valuesOf={profileValues}
                labels={profileLabels}
                read={async () => (await readAgain())?.subscriber}
                save={async (values, { version }) => {
                  const outcome = await updateSubscriber({ ...profileInput(values), expectedVersion: version })
                  if (!outcome.ok) return outcome.problems
                  showDone('Subscriber saved.')
                  return []
                }}
                onClose={close}
              >
                {(form) => <SubscriberForm {...form} idIsFixed />}
              </EditDialog>
            )}
          </Stack>
        )
      }
    </Answer>
  )
}

/** A link to a picture, unless the value is not a web address: the field accepts any text. */
function AvatarLink({ url }: { readonly url: string }) {
  return /^https?:\/\//i.test(url) ? (
    <Anchor inherit href={url} target="_blank" rel="noreferrer">
      {url}
    </Anchor>
  ) : (
    url
  )
}
