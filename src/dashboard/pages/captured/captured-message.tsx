// One captured message: its addresses, and its content as HTML, text and MIME source.
import { Badge, Group, SegmentedControl, Stack, Switch, Tabs, Text } from '@mantine/core'
import { useState } from 'react'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { Answer } from '../../parts/answer.tsx'
import { channelLabels } from '../../parts/channel-labels.ts'
import { Facts } from '../../parts/facts.tsx'
import { HtmlFrame } from '../../parts/html-frame.tsx'
import { TextBlock } from '../../parts/json-block.tsx'
import { Missing } from '../../parts/missing.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { RowLink } from '../../parts/row-link.tsx'
import { MessageBadge } from '../../parts/badge/status-badge.tsx'
import { fileInWords, sizeInWords } from '../events/event-files.tsx'

const messageQuery = graphql(`
  query CapturedMessage($id: ID!) {
    node(id: $id) {
      __typename
      ... on Delivery {
        id
        channel
        destination
        subject
        body
        status
        isCaptured
        integrationIdentifier
        createdAt
        email {
          from
          to
          cc
          bcc
          replyTo
          headers {
            name
            value
          }
          html
          text
          attachments {
            name
            contentType
            size
          }
        }
        emailSource
        event {
          id
          transactionId
        }
        workflowRun {
          id
          subscriberId
        }
      }
    }
  }
`)

type Node = NonNullable<ResultOf<typeof messageQuery>['node']>
type Message = Extract<Node, { __typename: 'Delivery' }>

/** The addresses of an email's links, in the order of the email. */
const linksIn = (html: string): readonly string[] => [
  ...new Set(
    Array.from(new DOMParser().parseFromString(html, 'text/html').querySelectorAll('a[href]'), (link) =>
      link.getAttribute('href'),
    ).filter((href) => href !== null),
  ),
]

const sizeOf = (text: string) => sizeInWords(new TextEncoder().encode(text).length)

const Plain = ({ children }: { readonly children: string }) => (
  <Text size="sm" className="wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
    {children}
  </Text>
)

/** The email as a wide or narrow, light or dark mail client shows it. */
function Html({ html, title }: { readonly html: string; readonly title: string }) {
  const [width, setWidth] = useState('wide')
  const [isDark, setDark] = useState(false)
  return (
    <Stack gap="xs">
      <Group gap="md">
        <SegmentedControl
          size="xs"
          aria-label="Width"
          data={[
            { value: 'wide', label: 'Wide' },
            { value: 'narrow', label: 'Narrow' },
          ]}
          value={width}
          onChange={setWidth}
        />
        <Switch
          size="xs"
          label="Dark"
          checked={isDark}
          onChange={({ currentTarget }) => setDark(currentTarget.checked)}
        />
      </Group>
      <div style={{ maxWidth: width === 'narrow' ? 375 : undefined }}>
        <HtmlFrame html={html} title={title} isDark={isDark} />
      </div>
    </Stack>
  )
}

/** The email as a mail server gets it. */
function Source({ source }: { readonly source: string | null }) {
  if (source === null)
    return <Plain>The source is not available, because creating the plain text takes too long.</Plain>
  return (
    <Stack gap="xs">
      <Text size="xs" c="dimmed">
        The email as SMTP sends it. The bytes of attachments and the addresses in Bcc are left out.
      </Text>
      <TextBlock text={source.replaceAll('\r\n', '\n')} label="Source" />
    </Stack>
  )
}

function Content({ message: { subject, body, email, emailSource } }: { readonly message: Message }) {
  const html = email?.html ?? null
  const text = email === null ? body : (email.text ?? (html === null ? body : null))
  const links = html === null ? [] : linksIn(html)
  const headers = email?.headers ?? []
  const files = email?.attachments ?? []
  return (
    <Tabs defaultValue={html === null ? 'text' : 'html'} keepMounted={false}>
      <Tabs.List>
        {html !== null && <Tabs.Tab value="html">HTML</Tabs.Tab>}
        <Tabs.Tab value="text">Text</Tabs.Tab>
        {email !== null && <Tabs.Tab value="source">Source</Tabs.Tab>}
        {email !== null && <Tabs.Tab value="headers">Headers</Tabs.Tab>}
        {html !== null && <Tabs.Tab value="links">Links ({links.length})</Tabs.Tab>}
        {files.length > 0 && <Tabs.Tab value="attachments">Attachments ({files.length})</Tabs.Tab>}
      </Tabs.List>
      {html !== null && (
        <Tabs.Panel value="html" pt="sm">
          <Html html={html} title={subject === null ? 'Email' : `Email “${subject}”`} />
        </Tabs.Panel>
      )}
      <Tabs.Panel value="text" pt="sm">
        <Plain>{text ?? 'The plain text is created from the HTML when the email is sent.'}</Plain>
      </Tabs.Panel>
      <Tabs.Panel value="source" pt="sm">
        <Source source={emailSource} />
      </Tabs.Panel>
      <Tabs.Panel value="headers" pt="sm">
        <Plain>
          {headers.length === 0
            ? 'The email has no headers of its own.'
            : headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
        </Plain>
      </Tabs.Panel>
      <Tabs.Panel value="links" pt="sm">
        <Plain>{links.length === 0 ? 'The email has no links.' : links.join('\n')}</Plain>
      </Tabs.Panel>
      <Tabs.Panel value="attachments" pt="sm">
        <Plain>{files.map(fileInWords).join('\n')}</Plain>
      </Tabs.Panel>
    </Tabs>
  )
}

/** The addresses that an email has besides its recipient, by their labels. */
const addressesOf = ({ from, replyTo, cc, bcc }: NonNullable<Message['email']>) =>
  Object.fromEntries(
    Object.entries({ From: from ?? '', 'Reply to': replyTo.join(', '), Cc: cc.join(', '), Bcc: bcc.join(', ') }).filter(
      ([, value]) => value !== '',
    ),
  )

export function Component() {
  const { id = '' } = useParams()
  const query = useQuery({ query: messageQuery, variables: { id } })
  const node = query[0].data?.node
  const message = node?.__typename === 'Delivery' && node.isCaptured ? node : null
  return (
    <Page
      title={message === null ? 'Captured message' : (message.subject ?? `Message to ${message.destination}`)}
      parent={{ label: 'Captured messages', to: paths.captured }}
    >
      <Answer query={query}>
        {() =>
          message === null ? (
            <Missing what="captured message with this id" list={{ label: 'Captured messages', to: paths.captured }} />
          ) : (
            <>
              <Facts
                facts={{
                  To: message.destination,
                  ...(message.email && addressesOf(message.email)),
                  Channel: <Badge variant="light">{channelLabels[message.channel]}</Badge>,
                  Status: <MessageBadge message={message} />,
                  Event: (
                    <RowLink to={paths.recipient(message.event.transactionId, message.workflowRun.subscriberId)}>
                      {message.event.transactionId}
                    </RowLink>
                  ),
                  Size: sizeOf(`${message.email?.html ?? message.body}${message.email?.text ?? ''}`),
                  Captured: <Moment at={message.createdAt} />,
                }}
              />
              <Content message={message} />
            </>
          )
        }
      </Answer>
    </Page>
  )
}
