// The actions on one notification of a feed.
import { ActionIcon, Menu } from '@mantine/core'
import { IconArchive, IconArchiveOff, IconDots, IconMail, IconMailOpened, IconTrash } from '@tabler/icons-react'
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

interface NotificationActionsProps {
  readonly notification: {
    readonly id: string
    readonly subject: string | null
    readonly body: string
    readonly readAt: string | null
    readonly archivedAt: string | null
  }
}

export function NotificationActions({ notification }: NotificationActionsProps) {
  const { id, subject, body, readAt, archivedAt } = notification
  const [markOne, marking] = useAct(markMutation)
  const [deleteOne] = useAct(deleteMutation)

  const mark = async (as: 'READ' | 'UNREAD' | 'ARCHIVED' | 'UNARCHIVED') => {
    const outcome = await markOne({ id, as })
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
        <ActionIcon variant="subtle" color="gray" loading={marking} aria-label={`Actions for ${subject ?? body}`}>
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
        <Menu.Item leftSection={<IconTrash size={16} aria-hidden />} onClick={askToDelete}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
