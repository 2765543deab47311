// The content of a message. Emails are shown on demand, because an event can have many of them.
import { Button, Group, Spoiler, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { CopyText } from '../../parts/copyable.tsx'
import { HtmlFrame } from '../../parts/html-frame.tsx'

interface MessageContentProps {
  readonly subject: string | null
  readonly body: string
  /** True if the body is HTML. */
  readonly html: boolean
}

export function MessageContent({ subject, body, html }: MessageContentProps) {
  const title = subject !== null && (
    <Text size="sm" fw={600} className="wrap-anywhere">
      {subject}
    </Text>
  )
  if (html) {
    return (
      <div>
        {title}
        <CopyText value={body} label="HTML of the email" />
        <Email html={body} title={subject === null ? 'Email' : `Email “${subject}”`} />
      </div>
    )
  }
  return (
    <Group gap={4} wrap="nowrap" align="flex-start" justify="space-between">
      <Spoiler maxHeight={64} showLabel="Show the whole message" hideLabel="Show less">
        {title}
        <Text size="sm" className="wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
          {body}
        </Text>
      </Spoiler>
      <CopyText value={body} label="message" />
    </Group>
  )
}

function Email({ html, title }: { readonly html: string; readonly title: string }) {
  const [opened, { toggle }] = useDisclosure(false)
  return (
    <>
      <Button variant="subtle" size="compact-sm" px={0} aria-expanded={opened} onClick={toggle}>
        {opened ? 'Hide the email' : 'Show the email'}
      </Button>
      {opened && <HtmlFrame html={html} title={title} />}
    </>
  )
}
