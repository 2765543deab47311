// The rendered content of a message.
import { Paper, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { HtmlFrame } from '../../../parts/html-frame.tsx'

interface PreviewedContentProps {
  readonly subject: string | null
  readonly body: string
  readonly html: boolean
  readonly children?: ReactNode
}

export function PreviewedContent({ subject, body, html, children }: PreviewedContentProps) {
  return (
    <Paper bg="light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-6))" p="sm">
      <Stack gap={6}>
        {subject !== null && (
          <Text fw={600} size="sm" className="wrap-anywhere">
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
      </Stack>
    </Paper>
  )
}
