// The button that creates an environment with example data, and opens it.
import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import type { Problem } from '../../graph/problem.ts'
import { ProblemAlert } from '../../parts/problem-alert.tsx'
import { openAddress } from '../../session/address.ts'
import { openSession } from '../../session/open-session.ts'

const createExampleEnvironmentMutation = graphql(`
  mutation CreateExampleEnvironment($input: CreateExampleEnvironmentInput!) {
    createExampleEnvironment(input: $input) {
      newApiKey {
        key
      }
      userErrors {
        message
        field
      }
    }
  }
`)

export function ExampleData() {
  const [createExampleEnvironment, pending] = useAct(createExampleEnvironmentMutation)
  const [problem, setProblem] = useState<Problem>()

  const create = async () => {
    setProblem(undefined)
    const outcome = await createExampleEnvironment({})
    if (!outcome.ok) {
      setProblem(outcome.problems[0])
      return
    }
    // Only ADMIN sessions can open other environments, so its own key does.
    const { session, problem: failure } = await openSession({ apiKey: outcome.payload.newApiKey?.key ?? '' })
    if (session === undefined) setProblem(failure)
    else openAddress(session.slug, '')
  }

  return (
    <>
      <Group>
        <Button variant="default" loading={pending} onClick={() => void create()}>
          Create example data
        </Button>
        <Text size="sm" c="dimmed">
          In an environment of its own, which opens here. Takes some seconds. Nothing is sent.
        </Text>
      </Group>
      {problem && <ProblemAlert problem={problem} />}
    </>
  )
}
