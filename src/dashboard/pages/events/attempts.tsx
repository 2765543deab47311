// The attempts to send a message, each with the response of the provider and why the next integration was tried.
import { Code, Stack, Text } from '@mantine/core'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { CopyText } from '../../parts/copyable.tsx'
import { Moment } from '../../parts/moment.tsx'
import { routeReasons } from './route-reasons.ts'

export const attemptFields = graphql(`
  fragment AttemptFields on DeliveryAttempt @_unmask {
    number
    integrationIdentifier
    nextRouteReason
    isCaptured
    redirectedTo
    statusCode
    answer
    error
    startedAt
    endedAt
  }
`)

type Attempt = ResultOf<typeof attemptFields>

const milliseconds = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'millisecond' })
const seconds = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'second', maximumFractionDigits: 1 })

function durationOf({ startedAt, endedAt }: Attempt): string {
  const length = new Date(endedAt).getTime() - new Date(startedAt).getTime()
  return length < 1000 ? milliseconds.format(length) : seconds.format(length / 1000)
}

interface AttemptsProps {
  readonly attempts: readonly Attempt[]
  /** True if the message has several integrations. */
  readonly several: boolean
}

export function Attempts({ attempts, several }: AttemptsProps) {
  return (
    <Stack component="ol" gap="xs" m={0} p={0} aria-label="Attempts" style={{ listStyle: 'none' }}>
      {attempts.map((attempt) => (
        <li key={attempt.number}>
          <Text size="xs" c="dimmed">
            Attempt {attempt.number}
            {several && ` through ${attempt.integrationIdentifier}`}, <Moment at={attempt.startedAt} />, took{' '}
            {durationOf(attempt)}
          </Text>
          {attempt.redirectedTo !== null && (
            <Text size="sm" className="wrap-anywhere">
              Redirected to {attempt.redirectedTo}
            </Text>
          )}
          {attempt.isCaptured ? <CapturedResult {...attempt} /> : <Response {...attempt} />}
          {attempt.nextRouteReason !== null && (
            <Text size="sm">The next integration was tried, because {routeReasons[attempt.nextRouteReason]}.</Text>
          )}
        </li>
      ))}
    </Stack>
  )
}

/** No provider was called. Some addresses simulate errors. */
const CapturedResult = ({ error }: Attempt) => (
  <Text size="sm" className="wrap-anywhere">
    {error ?? 'Captured: nothing was sent'}
  </Text>
)

const Response = ({ error, statusCode, answer }: Attempt) => (
  <>
    <Text size="sm" className="wrap-anywhere">
      {error ?? 'Accepted by the provider'}
    </Text>
    <Text size="sm" className="wrap-anywhere">
      {statusCode === null && answer === null ? 'No response from the provider' : 'Provider response: '}
      {statusCode !== null && <Code>{statusCode}</Code>} {answer}{' '}
      {answer !== null && <CopyText value={answer} label="response" />}
    </Text>
  </>
)
