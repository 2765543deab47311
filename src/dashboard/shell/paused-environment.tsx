// The mark in the header while the environment in use is paused. It leads to the page that says why and resumes it.
import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { useQuery } from 'urql'
import { graphql } from '../graph/graphql.ts'
import { paths } from '../parts/paths.ts'
import { StateBadge } from '../parts/state-badge.tsx'

const currentPauseQuery = graphql(`
  query CurrentPause {
    environment {
      id
      name
      pause {
        kind
      }
    }
  }
`)

export function PausedEnvironment() {
  const [{ data }] = useQuery({ query: currentPauseQuery })
  if (data === undefined || data.environment.pause === null) return null
  const { id, name } = data.environment
  return (
    <Anchor component={Link} to={paths.environment(id)} underline="never" aria-label={`Paused: environment ${name}`}>
      <StateBadge color="yellow">Paused</StateBadge>
    </Anchor>
  )
}
