// GraphiQL with a session: its editors, documentation and history.
import { GraphiQL } from 'graphiql'
import { useEffect, useMemo } from 'react'
import type { Session } from '../dashboard/session/session.ts'
import { createFetcher } from './fetcher.ts'
import { dashboardAddress, hasDashboard } from './served.ts'

const welcome = `{
  environment { name }
  subscribers(first: 10) {
    totalCount
    nodes { subscriberId firstName email }
  }
}
`

interface ExplorerProps {
  readonly session: Session
}

export function Explorer({ session: { authorization, environmentName } }: ExplorerProps) {
  const fetcher = useMemo(() => createFetcher(authorization), [authorization])
  useEffect(() => {
    document.title = `${environmentName} · GraphiQL`
  }, [environmentName])
  return (
    // Otherwise, GraphiQL would store headers in the browser, including API keys.
    <GraphiQL
      fetcher={fetcher}
      defaultQuery={welcome}
      isHeadersEditorEnabled={false}
      schemaDescription
      inputValueDeprecation
    >
      <GraphiQL.Logo>
        <span>{environmentName}</span>
        {hasDashboard && (
          <>
            {' · '}
            <a href={dashboardAddress}>Dashboard</a>
          </>
        )}
      </GraphiQL.Logo>
    </GraphiQL>
  )
}
