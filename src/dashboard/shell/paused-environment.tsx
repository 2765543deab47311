// The notice in the header while the current environment is paused. It links to the page that explains and ends the
// pause.
import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { useQuery } from 'urql'
import { graphql } from '../graph/graphql.ts'
import { paths } from '../parts/paths.ts'
import { StateBadge } from '../parts/badge/state-badge.tsx'

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
