// The workflow as an event ran it: its version, and the steps as they were.
import { Accordion, Code, Stack, Text } from '@mantine/core'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { JsonBlock } from '../../parts/json-block.tsx'
import { stepTypes } from '../../parts/step-types.ts'
import { stepFields } from '../workflows/draft/step-fields.ts'

/**
 * The steps have all fields that the editor reads: without a schema, the cache tells the types of steps apart by their
 * fields.
 */
export const snapshotFields = graphql(
  `
    fragment SnapshotFields on Event @_unmask {
      workflow {
        id
        name
        version
      }
      workflowSnapshot {
        version
        name
        steps {
          __typename
          ...StepFields
        }
      }
    }
  `,
  [stepFields],
)

type Ran = ResultOf<typeof snapshotFields>
type Step = Ran['workflowSnapshot']['steps'][number]

/** The version that the event ran, and the current one if it differs. Null if it is not known. */
export function versionInWords({ workflow, workflowSnapshot: { version } }: Ran): string | null {
  if (version === null) return null
  if (workflow === null || workflow.version === version) return `version ${version}`
  return `version ${version}, the current one is ${workflow.version}`
}

function StepText({ step }: { readonly step: Step }) {
  if (step.__typename === 'DelayStep' || step.__typename === 'DigestStep') {
    return (
      <Text size="sm">
        {step.amount} {step.unit.toLowerCase()}
      </Text>
    )
  }
  const subject = 'subject' in step ? step.subject : null
  return (
    <Code block className="wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
      {[subject, step.body].filter((text) => text !== null).join('\n\n')}
    </Code>
  )
}

export function StepsAsTheyWere({ steps }: { readonly steps: readonly Step[] }) {
  if (steps.length === 0) return 'none'
  return (
    <Accordion multiple variant="separated" keepMounted={false}>
      {steps.map((step) => (
        <Accordion.Item key={step.stepId} value={step.stepId}>
          <Accordion.Control>
            {stepTypes[step.type].label}: {step.stepId}
            {!step.active && ' (inactive)'}
          </Accordion.Control>
          <Accordion.Panel>
            <Stack gap="xs">
              <StepText step={step} />
              {step.condition !== null && <JsonBlock value={step.condition} label={`Condition of ${step.stepId}`} />}
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  )
}
