// The answer to "May I write to this person?" at the top of their page: for each channel yes or no, since when and why.
import { Anchor, Button, Group, Paper, Stack, Table, Text } from '@mantine/core'
import { IconLink } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { Link } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { channelLabels } from '../../parts/channel-labels.ts'
import { ContextLinks } from '../../parts/context-links.tsx'
import { showDone, showProblems } from '../../parts/messages.ts'
import { ExactMoment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'
import { StateBadge } from '../../parts/badge/state-badge.tsx'
import { suppressionReasons } from '../../parts/suppression-labels.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { consentSources } from './consent-sources.ts'
import { categoriesOff, type CategoryOff, type ChannelReach, type Obstacle, reachOf } from './reach.ts'
import { type Reached, reachQuery } from './reach-query.ts'

const createPreferenceLinkMutation = graphql(`
  mutation CreatePreferenceLink($input: CreatePreferenceLinkInput!) {
    createPreferenceLink(input: $input) {
      url
      userErrors {
        message
        field
      }
    }
  }
`)

const answers = {
  yes: { label: 'Yes', color: 'green' },
  partly: { label: 'Not always', color: 'yellow' },
  no: { label: 'No', color: 'red' },
  no_address: { label: 'No address', color: 'gray' },
} as const satisfies Record<ChannelReach['answer'], { readonly label: string; readonly color: string }>

/** The way and the time of a change. Older ones than the newest are in the consent history. */
function By({ change }: Pick<Obstacle, 'change'>) {
  if (change === undefined) return null
  return (
    <>
      {' '}
      since <ExactMoment at={change.at} /> ({consentSources[change.source].label})
    </>
  )
}

function Why({ obstacle: { kind, suppression, change } }: { readonly obstacle: Obstacle }) {
  if (kind === 'no_destination') return <Text size="sm">No device, webhook URL or channel endpoint</Text>
  if (suppression === undefined) {
    return (
      <Text size="sm">
        Turned off in general
        <By change={change} />
      </Text>
    )
  }
  const { reason, detail, createdAt, expiresAt, contextKeys, integration } = suppression
  return (
    <Text size="sm" component="div">
      Suppressed since <ExactMoment at={createdAt} />
      {expiresAt !== null && (
        <>
          {' '}
          until <ExactMoment at={expiresAt} />
        </>
      )}
      {integration !== null && ` for the integration ${integration.identifier}`}
      {contextKeys.length > 0 && (
        <>
          {' '}
          under <ContextLinks keys={contextKeys} />
        </>
      )}
      : {suppressionReasons[reason]}
      {detail !== null && <Text span inherit c="dimmed" children={` · ${detail}`} />}
    </Text>
  )
}

function ChannelRow({ reach: { channel, address, answer, obstacles } }: { readonly reach: ChannelReach }) {
  const { label, color } = answers[answer]
  return (
    <Table.Tr>
      <Table.Th scope="row" w={100}>
        {channelLabels[channel]}
      </Table.Th>
      <Table.Td w={120}>
        <StateBadge color={color}>{label}</StateBadge>
      </Table.Td>
      <Table.Td className="wrap-anywhere">
        {address !== null && address !== undefined && <Text size="sm">{address}</Text>}
        {obstacles.map((obstacle) => (
          <Why key={obstacle.suppression?.id ?? obstacle.kind} obstacle={obstacle} />
        ))}
      </Table.Td>
    </Table.Tr>
  )
}

function Off({ category: { key, name, channels, change } }: { readonly category: CategoryOff }) {
  return (
    <Text size="sm" component="div">
      Not for{' '}
      <Anchor inherit underline="always" component={Link} to={paths.category(key)}>
        {name}
      </Anchor>
      {channels.length > 0 && ` by ${channels.map((channel) => channelLabels[channel]).join(', ')}`}
      <By change={change} />
    </Text>
  )
}

function CopyPreferenceLink({ subscriberId }: { readonly subscriberId: string }) {
  const [createLink, pending] = useAct(createPreferenceLinkMutation)
  const copy = async () => {
    const outcome = await createLink({ subscriberId })
    if (!outcome.ok) showProblems(outcome.problems)
    else if (outcome.payload.url !== null) {
      await navigator.clipboard.writeText(outcome.payload.url)
      showDone('Link copied. It lets anyone change the preferences of this person.')
    }
  }
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<IconLink size={14} aria-hidden />}
      loading={pending}
      onClick={() => void copy()}
    >
      Copy preference link
    </Button>
  )
}

interface ReachProps {
  readonly reached: Reached
  readonly subscriberId: string
}

function Reach({ reached, subscriberId }: ReachProps) {
  const canWrite = useCanWrite()
  const other = reached.person.preferenceContexts.filter(({ contextKeys }) => contextKeys.length > 0)
  return (
    <Paper withBorder p="sm" component="section" aria-label="May I write to them?" className="wrap-anywhere">
      <Stack gap="xs">
        <Group justify="space-between">
          <Text fw={600}>May I write to them?</Text>
          {canWrite && <CopyPreferenceLink subscriberId={subscriberId} />}
        </Group>
        <Table verticalSpacing={4} withRowBorders={false} layout="auto" aria-label="Channels">
          <Table.Tbody>
            {reachOf(reached).map((reach) => (
              <ChannelRow key={reach.channel} reach={reach} />
            ))}
          </Table.Tbody>
        </Table>
        {categoriesOff(reached).map((category) => (
          <Off key={category.key} category={category} />
        ))}
        {other.length > 0 && (
          <Text size="sm" c="dimmed">
            Without contexts. Other choices apply under{' '}
            {other.map(({ contextKeys }) => contextKeys.join(' and ')).join(', ')}: see{' '}
            <Anchor inherit underline="always" component={Link} to={paths.subscriberTab(subscriberId, 'preferences')}>
              Preferences
            </Anchor>
            .
          </Text>
        )}
      </Stack>
    </Paper>
  )
}

/** Nothing until it is known. The parts of the page report what goes wrong. */
export function ReachAnswer({ subscriberId }: { readonly subscriberId: string }) {
  const [{ data }] = useQuery({ query: reachQuery, variables: { subscriberId } })
  if (!data?.subscriber) return null
  return <Reach reached={{ person: data.subscriber, providers: data.providers }} subscriberId={subscriberId} />
}
