// One workflow: loads it, and shows its editor.
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { Answer } from '../../parts/answer.tsx'
import { Missing } from '../../parts/missing.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { WorkflowEditor } from './workflow-editor.tsx'
import { workflowQuery } from './draft/workflow-values.ts'

export function Component() {
  const { identifier = '' } = useParams()
  // The editor must not start from cached data that someone else has changed since.
  const query = useQuery({
    query: workflowQuery,
    variables: { identifier },
    requestPolicy: 'network-only',
  })
  const [{ data }] = query
  // The editor stays mounted while the workflow is read again, because it contains unsaved changes.
  if (data?.workflow) return <WorkflowEditor key={data.workflow.id} workflow={data.workflow} />
  return (
    <Page title={identifier} parent={{ label: 'Workflows', to: paths.workflows }}>
      <Answer query={query}>
        {() => (
          <Missing
            what={`workflow with the identifier ${identifier}`}
            list={{ label: 'All workflows', to: paths.workflows }}
          />
        )}
      </Answer>
    </Page>
  )
}
