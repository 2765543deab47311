// The rendered content of a message.
import { Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { HtmlFrame } from './html-frame.tsx'

interface PreviewedContentProps {
  readonly subject: string | null
  readonly body: string
  readonly html: boolean
  readonly children?: ReactNode
}

export function PreviewedContent({ subject, body, html, children }: PreviewedContentProps) {
  return (
    <Paper bg="light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-6))" p="sm">
      {subject !== null && (
        <Text fw={600} size="sm" className="wrap-anywhere" mb={4}>
          {subject}
        </Text>
      )}
      {html ? (
        <HtmlFrame html={body} title={subject === null ? 'Email' : `Email “${subject}”`} />
      ) : (
        <Text size="sm" className="wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
          {body}
        </Text>
      )}
      {children}
    </Paper>
  )
}
