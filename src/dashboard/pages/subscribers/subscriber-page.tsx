// The page of one subscriber: its tabs, each with a path of its own.
import { ScrollArea, Tabs } from '@mantine/core'
import { Outlet, useMatch, useNavigate, useParams } from 'react-router'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { Answer } from '../../parts/answer.tsx'
import { Copyable } from '../../parts/copyable.tsx'
import { Missing } from '../../parts/missing.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { personName } from '../../parts/person-name.ts'
import { ReachAnswer } from './reach-answer.tsx'

const subscriberHeadQuery = graphql(`
  query SubscriberHead($subscriberId: String!) {
    subscriber(subscriberId: $subscriberId) {
      id
      subscriberId
      firstName
      lastName
    }
  }
`)

/** The tab that has no path of its own. */
const PROFILE = 'profile'

/** The tabs by the last part of their path. Some also have content for a deleted subscriber. */
const tabs: readonly { readonly tab: string; readonly label: string; readonly outlivesSubscriber?: true }[] = [
  { tab: PROFILE, label: 'Profile' },
  { tab: 'credentials', label: 'Credentials' },
  { tab: 'preferences', label: 'Preferences' },
  { tab: 'consent', label: 'Consent history' },
  { tab: 'topics', label: 'Topics' },
  { tab: 'endpoints', label: 'Channel endpoints' },
  { tab: 'feed', label: 'Feed' },
  { tab: 'activity', label: 'Activity', outlivesSubscriber: true },
  { tab: 'data', label: 'Data and privacy', outlivesSubscriber: true },
]

/** Brings the current tab into view, also on a narrow screen. */
const showTab = (tab: HTMLElement | null) => tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })

export function Component() {
  const { subscriberId = '' } = useParams()
  const current = useMatch('/subscribers/:subscriberId/:tab')?.params.tab ?? PROFILE
  const navigate = useNavigate()
  const query = useQuery({ query: subscriberHeadQuery, variables: { subscriberId } })
  const [{ data }] = query
  const exists = data?.subscriber !== null
  const shown = tabs.filter(({ outlivesSubscriber }) => exists || outlivesSubscriber)
  const isTab = tabs.some(({ tab }) => tab === current)
  const open = (tab: string | null) =>
    void navigate(
      tab === null || tab === PROFILE ? paths.subscriber(subscriberId) : paths.subscriberTab(subscriberId, tab),
    )
  const name = data?.subscriber ? personName(data.subscriber) : null

  return (
    <Page
      title={name ?? subscriberId}
      description={<Copyable value={subscriberId} label="subscriber id" />}
      parent={{ label: 'Subscribers', to: paths.subscribers }}
    >
      <Answer query={query}>
        {() => (
          <>
            {!exists && (
              <Missing
                what={`subscriber with the id ${subscriberId}`}
                list={{ label: 'All subscribers', to: paths.subscribers }}
              />
            )}
            {exists && <ReachAnswer subscriberId={subscriberId} />}
            <Tabs value={current} onChange={open} activateTabWithKeyboard={false}>
              <ScrollArea type="never" pb={1}>
                <Tabs.List style={{ flexWrap: 'nowrap' }} aria-label="Parts of the subscriber">
                  {shown.map(({ tab, label }) => (
                    <Tabs.Tab
                      key={tab}
                      value={tab}
                      ref={tab === current ? showTab : undefined}
                      style={{ flexShrink: 0 }}
                    >
                      {label}
                    </Tabs.Tab>
                  ))}
                </Tabs.List>
              </ScrollArea>
              {shown.some(({ tab }) => tab === current) && (
                <Tabs.Panel key={current} value={current} pt="md">
                  <Outlet context={exists} />
                </Tabs.Panel>
              )}
            </Tabs>
            {!isTab && <Outlet />}
          </>
        )}
      </Answer>
    </Page>
  )
}
