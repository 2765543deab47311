// The button that pauses and resumes a workflow.
import { graphql } from '../../graph/graphql.ts'
import { PauseButton } from '../../parts/action/pause-button.tsx'
import type { Workflow } from './draft/workflow-values.ts'

const pauseWorkflowMutation = graphql(`
  mutation PauseWorkflow($input: PauseWorkflowInput!) {
    pauseWorkflow(input: $input) {
      workflow {
        id
      }
      userErrors {
        message
        field
      }
    }
  }
`)

const resumeWorkflowMutation = graphql(`
  mutation ResumeWorkflow($input: ResumeWorkflowInput!) {
    resumeWorkflow(input: $input) {
      workflow {
        id
      }
      userErrors {
        message
        field
      }
    }
  }
`)

export const PauseWorkflow = ({ workflow: { identifier, pause } }: { readonly workflow: Workflow }) => (
  <PauseButton
    what={`workflow ${identifier}`}
    consequence="Its runs and unsent messages wait until you resume it. Triggers are accepted, and wait too. Nothing fails."
    isPaused={pause !== null}
    input={{ identifier }}
    pause={pauseWorkflowMutation}
    resume={resumeWorkflowMutation}
  />
)
