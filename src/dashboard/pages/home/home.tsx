// The home page: messages over time, current failures, queue lengths, and the newest events.
import { Anchor, Stack, Title } from '@mantine/core'
import { Link } from 'react-router'
import { useQuery } from 'urql'
import { LONG_PAUSE, useLive } from '../../graph/live.ts'
import { Answer } from '../../parts/answer.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { FirstSteps } from './first-steps.tsx'
import { Health } from './health.tsx'
import { homeQuery } from './home-query.ts'
import { MessagesOverTime } from './messages-over-time.tsx'
import { RecentEvents } from './recent-events.tsx'
import { UnsignedSessions } from './unsigned-sessions.tsx'

export function Component() {
  const query = useQuery({ query: homeQuery })
  const isEmpty = query[0].data?.events.nodes.length === 0
  useLive(query, {}, isEmpty ? undefined : LONG_PAUSE)
  return (
    <Page title="Home">
      <Answer query={query}>
        {({ deliveryHealth, environment, events, subscribers, workflows }) => (
          <Stack gap="xl">
            {environment.allowsUnsignedSessions && <UnsignedSessions />}
            {events.nodes.length === 0 ? (
              <FirstSteps hasSubscribers={subscribers.nodes.length > 0} hasWorkflows={workflows.nodes.length > 0} />
            ) : (
              <>
                <MessagesOverTime />
                <Health health={deliveryHealth} />
                <Stack component="section" gap="sm" aria-label="Recent events">
                  <Title order={2} size="h4">
                    Recent events
                  </Title>
                  <RecentEvents events={events.nodes} />
                  <Anchor component={Link} to={paths.events} size="sm">
                    All events
                  </Anchor>
                </Stack>
              </>
            )}
          </Stack>
        )}
      </Answer>
    </Page>
  )
}
