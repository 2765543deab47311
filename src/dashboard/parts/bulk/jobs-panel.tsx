// The corner of the page that shows acts on many objects in progress, and stops or continues them.
import { Affix, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core'
import { useEffect, useSyncExternalStore } from 'react'
import { useClient } from 'urql'
import { useSession } from '../../session/session-context.ts'
import { acts, counted } from './acts.ts'
import { continueJob, currentJobs, type Job, observeJobs, removeJob, resumeJobs, stopJob } from './jobs.ts'

const number = new Intl.NumberFormat()

function inWords({ act, done, total, state }: Job): string {
  if (state === 'finished') return `${counted(act, done)} ${acts[act].did}.`
  const progress = `${number.format(done)} of ${counted(act, total)}`
  return state === 'stopped' ? `Stopped: ${progress} ${acts[act].did}.` : `${acts[act].doing} ${progress}…`
}

export function JobsPanel() {
  const client = useClient()
  const { environmentId } = useSession()
  const all = useSyncExternalStore(observeJobs, currentJobs)
  useEffect(() => resumeJobs(client, environmentId), [client, environmentId])

  const jobs = all.filter((job) => job.environmentId === environmentId)
  if (jobs.length === 0) return null
  return (
    <Affix position={{ bottom: 16, left: 16 }}>
      <Stack gap="xs" role="region" aria-label="Work in progress" w="min(20rem, calc(100vw - 2rem))">
        {jobs.map((job) => (
          <Paper key={job.id} withBorder shadow="md" p="sm">
            <Text size="sm" role="status">
              {inWords(job)}
            </Text>
            {job.problems.map((problem) => (
              <Text key={problem} size="xs" c="red.9">
                {problem}
              </Text>
            ))}
            {job.state !== 'finished' && (
              <Progress
                value={job.total === 0 ? 100 : (100 * job.done) / job.total}
                aria-label={acts[job.act].doing}
                my="xs"
              />
            )}
            <Group justify="flex-end" gap="xs">
              {job.state === 'running' && (
                <Button size="compact-xs" variant="default" onClick={() => stopJob(job.id)}>
                  Stop
                </Button>
              )}
              {job.state === 'stopped' && (
                <Button size="compact-xs" onClick={() => continueJob(client, job.id)}>
                  Continue
                </Button>
              )}
              {job.state !== 'running' && (
                <Button size="compact-xs" variant="default" onClick={() => removeJob(job)}>
                  Close
                </Button>
              )}
            </Group>
          </Paper>
        ))}
      </Stack>
    </Affix>
  )
}
