// The reason why something was not done, and what to do about it.
import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'
import { paths } from '../../parts/paths.ts'
import type { Place, Remedy } from './reasons.ts'

/** The workflow and the subscriber that the reason concerns. */
export interface Subject {
  readonly workflowIdentifier: string
  readonly subscriberId?: string
}

const linkTo = (place: Place, { workflowIdentifier, subscriberId }: Subject) => {
  const links = {
    workflow: { label: 'Open the workflow', to: paths.workflow(workflowIdentifier) },
    subscriber: subscriberId !== undefined && { label: 'Open the subscriber', to: paths.subscriber(subscriberId) },
    integrations: { label: 'Open the integrations', to: paths.integrations },
    topics: { label: 'Open the topics', to: paths.topics },
  } as const satisfies Record<Place, unknown>
  return links[place]
}

interface ReasonTextProps {
  /** The reason in a sentence. */
  readonly detail: string
  readonly remedy: Remedy | undefined
  readonly subject: Subject
}

export function ReasonText({ detail, remedy, subject }: ReasonTextProps) {
  const link = remedy?.place !== undefined && linkTo(remedy.place, subject)
  return (
    <div>
      <Text size="sm">{detail}</Text>
      {remedy && (
        <Text size="sm" c="dimmed">
          {remedy.advice}{' '}
          {link && (
            <Anchor inherit underline="always" component={Link} to={link.to}>
              {link.label}
            </Anchor>
          )}
        </Text>
      )}
    </div>
  )
}
