// The button that pauses and resumes an integration.
import { graphql } from '../../graph/graphql.ts'
import { PauseButton } from '../../parts/action/pause-button.tsx'
import type { Integration } from './integration-values.ts'

const pauseIntegrationMutation = graphql(`
  mutation PauseIntegration($input: PauseIntegrationInput!) {
    pauseIntegration(input: $input) {
      integration {
        id
      }
      userErrors {
        message
        field
      }
    }
  }
`)

const resumeIntegrationMutation = graphql(`
  mutation ResumeIntegration($input: ResumeIntegrationInput!) {
    resumeIntegration(input: $input) {
      integration {
        id
      }
      userErrors {
        message
        field
      }
    }
  }
`)

export const PauseIntegration = ({ integration: { id, identifier, pause } }: { readonly integration: Integration }) => (
  <PauseButton
    what={`integration ${identifier}`}
    consequence="Its messages wait until you resume it, new ones too. Nothing fails. Messages that are just being sent are not stopped."
    isPaused={pause !== null}
    input={{ id }}
    pause={pauseIntegrationMutation}
    resume={resumeIntegrationMutation}
  />
)
