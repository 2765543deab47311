// The sender, recipients, headers and plain text of an email.
import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { fileInWords } from './event-files.tsx'

export const envelopeFields = graphql(`
  fragment EnvelopeFields on EmailEnvelope @_unmask {
    from
    cc
    bcc
    replyTo
    headers {
      name
      value
    }
    text
    attachments {
      name
      contentType
      size
    }
  }
`)

type Envelope = ResultOf<typeof envelopeFields>

/** The recipient is not repeated: it is the destination of the message. */
export function EmailEnvelope({ envelope }: { readonly envelope: Envelope }) {
  const { from, replyTo, cc, bcc, headers, text, attachments } = envelope
  const rows: readonly (readonly [label: string, value: string])[] = [
    ['From', from ?? ''],
    ['Reply to', replyTo.join(', ')],
    ['Cc', cc.join(', ')],
    ['Bcc', bcc.join(', ')],
    ['Attachments', attachments.map(fileInWords).join(', ')],
    ...headers.map(({ name, value }) => [name, value] as const),
  ]
  return (
    <div>
      {rows
        .filter(([, value]) => value !== '')
        .map(([label, value], index) => (
          <Text key={index} size="xs" className="wrap-anywhere">
            <Text span inherit c="dimmed">
              {label}:
            </Text>{' '}
            {value}
          </Text>
        ))}
      {text !== null && <PlainText text={text} />}
    </div>
  )
}

function PlainText({ text }: { readonly text: string }) {
  const [opened, { toggle }] = useDisclosure(false)
  return (
    <>
      <Button variant="subtle" size="compact-xs" px={0} aria-expanded={opened} onClick={toggle}>
        {opened ? 'Hide the plain text' : 'Show the plain text'}
      </Button>
      {opened && (
        <Text size="sm" className="wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
          {text}
        </Text>
      )}
    </>
  )
}
