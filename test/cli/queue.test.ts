// pause, resume, queue, failures and retry: an operator's commands during an outage.
import { expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { commandLineOf } from '../support/command-line.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
const run = commandLineOf(world)

test('during an outage, messages fail, wait while their integration is paused, and are sent again', async () => {
  const client = world.development
  await createIntegration(client, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(client, [{ email: { subject: 'Hi', body: 'Hello' } }])
  const to = [1, 2, 3].map((index) => ({ subscriberId: `reader-${index}`, email: `reader-${index}@example.com` }))
  const of = '--environment Development'
  expect((await run(`queue ${of}`)).stdout).toBe('the queue is empty\n')
  expect((await run(`failures ${of}`)).stdout).toBe('no failed messages\n')

  receiver.answer(400)
  await trigger(client, { to })
  await world.work()
  expect((await run(`failures ${of} --json`)).json.failures).toMatchObject([
    { integrationIdentifier: 'email_webhook', channel: 'email', count: 3, reason: expect.stringContaining('400') },
  ])
  expect((await run(`failures ${of}`)).stdout).toMatch(/^messages +integration +channel .*\n3 +email_webhook +email /)

  const paused = await run(['pause', ...of.split(' '), '--integration', 'email_webhook', '--reason', 'an outage'])
  expect(paused).toMatchObject({ code: 0, stdout: 'Paused the integration "email_webhook".\n' })
  receiver.answer(200)
  await trigger(client, { to })
  await world.work()
  const [{ jobs, pauses }] = (await run(`queue ${of} --json`)).json.environments
  expect(jobs).toMatchObject([{ kind: 'messages', integrationIdentifier: 'email_webhook', due: 0, later: 0, held: 3 }])
  expect(pauses).toMatchObject([{ named: 'integration email_webhook', pausedBy: 'command line', reason: 'an outage' }])
  expect((await run('queue')).stdout).toMatch(/Development +messages +email_webhook +0 +0 +3 /)

  expect((await run(`resume ${of} --integration email_webhook`)).stdout).toBe(
    'Resumed the integration "email_webhook": 3 jobs released.\n',
  )
  expect((await run(`retry ${of} --dry-run`)).code).toBe(1)
  expect((await run(`retry ${of} --all --dry-run`)).stdout).toBe('Would send 3 messages again.\n')
  expect((await run(`retry ${of} --reason 400`)).stdout).toBe('Sending 3 messages again.\n')
  await world.work()
  expect((await run(`queue ${of}`)).stdout).toBe('the queue is empty\n')
  expect((await client.ask('{ deliveries(filter: { status: SENT }) { totalCount } }')).deliveries.totalCount).toBe(6)
})

test('the queue shows which providers are down, and which environments do not send', async () => {
  const client = await world.environment()
  const { environment } = await client.ask('{ environment { identifier } }')
  const of = `--environment ${environment.identifier}`
  await createIntegration(client, 'EMAIL_WEBHOOK', receiver.url)
  await createIntegration(client, 'EMAIL_WEBHOOK', receiver.url, { identifier: 'second', isFallback: true })
  await createWorkflow(client, [{ email: { subject: 'Hi', body: 'Hello' } }])
  expect((await run(`queue ${of} --json`)).json.environments).toMatchObject([
    { environment: { sending: 'live', redirectTo: null }, circuits: [] },
  ])
  receiver.answer(401)
  const to = Array.from({ length: 5 }, (_, index) => ({
    subscriberId: `reader-${index}`,
    email: `reader-${index}@example.com`,
  }))
  await trigger(client, { to })
  await world.work()
  const [{ circuits }] = (await run(`queue ${of} --json`)).json.environments
  expect(circuits).toMatchObject([
    { integrationIdentifier: 'email_webhook', isFallback: false },
    { integrationIdentifier: 'second', isFallback: true },
  ])
  expect((await run(`queue ${of}`)).stdout).toMatch(
    /environment +circuit open +fallback +since +next probe\n\S+ +email_webhook +no +\d.*\n\S+ +second +yes +\d/,
  )

  await done(world.production, 'updateEnvironment', {
    ...{ identifier: environment.identifier, sending: 'REDIRECT', redirectTo: 'qa@example.com' },
  })
  expect((await run(`queue ${of}`)).stdout).toMatch(
    /environment +sending +redirected to\n\S+ +redirect +qa@example.com/,
  )
})

test('an environment or a workflow is paused by its name', async () => {
  await createWorkflow(world.production, [{ inApp: { body: 'Hello' } }])
  const of = '--environment Production'
  expect((await run(`pause ${of} --workflow order`)).stdout).toBe('Paused the workflow "order".\n')
  expect((await run(`pause ${of}`)).stdout).toBe('Paused the environment "Production".\n')
  expect((await run(`resume ${of} --workflow order`)).stdout).toBe('Resumed the workflow "order": 0 jobs released.\n')
  expect((await run(`resume ${of}`)).stdout).toBe('Resumed the environment "Production": 0 jobs released.\n')
  expect(await run(`pause ${of} --integration nothing`)).toMatchObject({
    code: 1,
    stderr: 'Integration "nothing" not found\n',
  })
})
