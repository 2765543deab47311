// The actions on one notification of a feed.
import { ActionIcon, Menu } from '@mantine/core'
import {
  IconArchive,
  IconArchiveOff,
  IconClock,
  IconDots,
  IconMail,
  IconMailOpened,
  IconTrash,
} from '@tabler/icons-react'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { confirmDelete } from '../../parts/action/confirm-delete.tsx'
import { showDone, showProblems } from '../../parts/messages.ts'

const markMutation = graphql(`
  mutation MarkNotification($input: MarkNotificationInput!) {
    markNotification(input: $input) {
      notification {
        id
        readAt
        archivedAt
      }
      userErrors {
        message
        field
      }
    }
  }
`)

const snoozeMutation = graphql(`
  mutation SnoozeNotification($input: SnoozeNotificationInput!) {
    snoozeNotification(input: $input) {
      notification {
        id
        snoozedUntil
      }
      userErrors {
        message
        field
      }
    }
  }
`)

const unsnoozeMutation = graphql(`
  mutation UnsnoozeNotification($input: UnsnoozeNotificationInput!) {
    unsnoozeNotification(input: $input) {
      notification {
        id
        snoozedUntil
      }
      userErrors {
        message
        field
      }
    }
  }
`)

const deleteMutation = graphql(`
  mutation DeleteNotification($input: DeleteNotificationInput!) {
    deleteNotification(input: $input) {
      deletedId
      userErrors {
        message
        field
      }
    }
  }
`)

const HOUR = 3_600_000

/** How long a notification can be snoozed here, in milliseconds. */
const snoozes = [
  ['Snooze for an hour', HOUR],
  ['Snooze for a day', 24 * HOUR],
  ['Snooze for a week', 7 * 24 * HOUR],
] as const

const timeIn = (milliseconds: number): string => new Date(Date.now() + milliseconds).toISOString()

interface NotificationActionsProps {
  readonly notification: {
    readonly id: string
    readonly subject: string | null
    readonly body: string
    readonly readAt: string | null
    readonly archivedAt: string | null
    readonly snoozedUntil: string | null
  }
}

export function NotificationActions({ notification }: NotificationActionsProps) {
  const { id, subject, body, readAt, archivedAt, snoozedUntil } = notification
  const [markOne, marking] = useAct(markMutation)
  const [snoozeOne, snoozing] = useAct(snoozeMutation)
  const [unsnoozeOne, unsnoozing] = useAct(unsnoozeMutation)
  const [deleteOne] = useAct(deleteMutation)

  const mark = async (as: 'READ' | 'UNREAD' | 'ARCHIVED' | 'UNARCHIVED') => {
    const outcome = await markOne({ id, as })
    if (!outcome.ok) showProblems(outcome.problems)
  }
  const snooze = async (milliseconds: number) => {
    const outcome = await snoozeOne({ id, until: timeIn(milliseconds) })
    if (!outcome.ok) showProblems(outcome.problems)
  }
  const unsnooze = async () => {
    const outcome = await unsnoozeOne({ id })
    if (!outcome.ok) showProblems(outcome.problems)
  }
  const askToDelete = () =>
    confirmDelete({
      what: 'this notification',
      consequence: 'It is removed from the feed. The execution log keeps what was sent. This cannot be undone.',
      onConfirm: async () => {
        const outcome = await deleteOne({ id })
        if (outcome.ok) showDone('Notification deleted.')
        else showProblems(outcome.problems)
      },
    })

  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          loading={marking || snoozing || unsnoozing}
          aria-label={`Actions for ${subject ?? body}`}
        >
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {readAt === null ? (
          <Menu.Item leftSection={<IconMailOpened size={16} aria-hidden />} onClick={() => void mark('READ')}>
            Mark as read
          </Menu.Item>
        ) : (
          <Menu.Item leftSection={<IconMail size={16} aria-hidden />} onClick={() => void mark('UNREAD')}>
            Mark as unread
          </Menu.Item>
        )}
        {archivedAt === null ? (
          <Menu.Item leftSection={<IconArchive size={16} aria-hidden />} onClick={() => void mark('ARCHIVED')}>
            Archive
          </Menu.Item>
        ) : (
          <Menu.Item leftSection={<IconArchiveOff size={16} aria-hidden />} onClick={() => void mark('UNARCHIVED')}>
            Move back to the feed
          </Menu.Item>
        )}
        {snoozedUntil === null ? (
          snoozes.map(([label, milliseconds]) => (
            <Menu.Item
              key={label}
              leftSection={<IconClock size={16} aria-hidden />}
              onClick={() => void snooze(milliseconds)}
            >
              {label}
            </Menu.Item>
          ))
        ) : (
          <Menu.Item leftSection={<IconClock size={16} aria-hidden />} onClick={() => void unsnooze()}>
            Return now
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconTrash size={16} aria-hidden />} onClick={askToDelete}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
