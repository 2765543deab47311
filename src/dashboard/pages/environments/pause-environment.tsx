// The button that pauses and resumes an environment.
import { graphql } from '../../graph/graphql.ts'
import { PauseButton } from '../../parts/action/pause-button.tsx'

const pauseEnvironmentMutation = graphql(`
  mutation PauseEnvironment($input: PauseEnvironmentInput!) {
    pauseEnvironment(input: $input) {
      environment {
        id
      }
      userErrors {
        message
        field
      }
    }
  }
`)

const resumeEnvironmentMutation = graphql(`
  mutation ResumeEnvironment($input: ResumeEnvironmentInput!) {
    resumeEnvironment(input: $input) {
      environment {
        id
      }
      userErrors {
        message
        field
      }
    }
  }
`)

interface PauseEnvironmentProps {
  readonly id: string
  readonly name: string
  readonly isPaused: boolean
}

export const PauseEnvironment = ({ id, name, isPaused }: PauseEnvironmentProps) => (
  <PauseButton
    what={`environment ${name}`}
    consequence="All its runs and unsent messages wait until you resume it. Triggers are accepted, and wait too. Nothing fails."
    isPaused={isPaused}
    input={{ id }}
    pause={pauseEnvironmentMutation}
    resume={resumeEnvironmentMutation}
  />
)
