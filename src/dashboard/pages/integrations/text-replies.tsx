// The keywords of text messages that an integration understands, and what it answers.
import { Button, Group, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPencil } from '@tabler/icons-react'
import { Facts } from '../../parts/facts.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { EditTextReplies } from './edit-text-replies.tsx'
import type { Integration } from './integration-values.ts'

const wordsOf = (standard: string, further: readonly string[]) =>
  further.length === 0 ? standard : `${standard}, and ${further.join(', ')}`

interface TextRepliesProps {
  readonly integrationId: string
  readonly replies: NonNullable<Integration['textReplies']>
}

export function TextReplies({ integrationId, replies }: TextRepliesProps) {
  const canWrite = useCanWrite()
  const [editing, { open, close }] = useDisclosure(false)
  return (
    <>
      <Group justify="space-between">
        <Title order={2} size="h4">
          Replies by SMS
        </Title>
        {canWrite && (
          <Button size="xs" variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={open}>
            Edit replies
          </Button>
        )}
      </Group>
      <Facts
        facts={{
          'Words for STOP': wordsOf('STOP, UNSUBSCRIBE and the like', replies.stopWords),
          'Answer to STOP': replies.stopText ?? 'Nothing',
          'Words for START': wordsOf('START, YES and UNSTOP', replies.startWords),
          'Answer to START': replies.startText ?? 'Nothing',
          'Answer to HELP': replies.helpText ?? 'Nothing',
        }}
      />
      {editing && <EditTextReplies integrationId={integrationId} replies={replies} onClose={close} />}
    </>
  )
}
