// The notice in the header while the current environment does not send its messages. It links to those it captured.
import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { useQuery } from 'urql'
import { graphql } from '../graph/graphql.ts'
import { paths } from '../parts/paths.ts'
import { CapturedBadge } from '../parts/badge/status-badge.tsx'

const currentSendingQuery = graphql(`
  query CurrentSending {
    environment {
      id
      sending
    }
  }
`)

const notices = {
  LIVE: null,
  CAPTURE: { label: 'Captures', sentence: 'This environment captures messages' },
  REDIRECT: { label: 'Redirects', sentence: 'This environment redirects messages' },
} as const

export function CapturedEnvironment() {
  const [{ data }] = useQuery({ query: currentSendingQuery })
  const notice = data && notices[data.environment.sending]
  if (!notice) return null
  return (
    <Anchor component={Link} to={paths.captured} underline="never" aria-label={notice.sentence} title={notice.sentence}>
      <CapturedBadge>{notice.label}</CapturedBadge>
    </Anchor>
  )
}
