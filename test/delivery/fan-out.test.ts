// Fan-out: runs are written once, no transaction writes too many messages, and a failure leaves nothing behind that could
// end the process.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Prisma } from '../../src/data/prisma/client.ts'
import { removeNextJobs } from '../../src/data/queue/job-taking.ts'
import { createEnvironmentScope } from '../../src/domain/resolver/create-scope.ts'
import type { Gateway } from '../../src/domain/resolver/scope.ts'
import { advance } from '../../src/engine/advance.ts'
import { fanOut } from '../../src/engine/fan-out.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'
import { createIntegration, createWorkflow, done, storyOf, trigger } from '../support/delivery/story.ts'

const world = useWorld()

/** The same connection, which is lost when runs are about to be created. */
const losing = (db: Gateway['db']): Gateway['db'] =>
  new Proxy(db, {
    get(target, name) {
      if (name !== '$queryRaw') return Reflect.get(target, name, target) as unknown
      return (statement: Prisma.Sql) =>
        statement.sql.includes('INSERT INTO workflow_runs')
          ? Promise.reject(new Error('the connection is lost'))
          : target.$queryRaw(statement)
    },
  })

/** Removes the job of the only trigger. */
async function nextFanOut(client: Client) {
  const environmentId = await environmentIdOf(client)
  const [job] = await removeNextJobs({ db: world.gateway.db, environmentId }, world.gateway.now())
  if (job?.queue !== 'fan_out') throw new Error('the trigger left no fan-out')
  return { environmentId, job }
}

test('a fan-out whose runs cannot be created fails, and leaves no rejection without a listener', async () => {
  const acme = await world.environment()
  await createWorkflow(acme, [{ inApp: { stepId: 'bell', body: 'Hello' } }])
  await trigger(acme)
  const { db } = world.gateway
  const { environmentId, job } = await nextFanOut(acme)
  const onRejection = vi.fn()
  process.on('unhandledRejection', onRejection)
  onTestFinished(() => void process.off('unhandledRejection', onRejection))
  const failing = fanOut(createEnvironmentScope(world.gateway, environmentId, losing(db)), [job], 500)
  await expect(failing).rejects.toThrow('the connection is lost')
  await nextTurn()
  expect(onRejection).not.toHaveBeenCalled()
})

test.each([
  ['wait for a delay', { delay: { amount: 1, unit: 'HOURS' } }, 'WAITING'],
  ['wait for a digest', { digest: { amount: 1, unit: 'HOURS' } }, 'WAITING'],
  ['are completed', { inApp: { body: 'Hello again' } }, 'COMPLETED'],
])('runs that %s are created in that state, and not updated', async (_state, likely, status) => {
  const acme = await world.environment()
  await createWorkflow(acme, [{ inApp: { body: 'Hello' } }, likely, { inApp: { body: 'Bye' } }])
  const transactionId = await trigger(acme, { to: ['ada', 'grace'] })
  const sent = await statementsOf(() => world.work())
  expect(sent.filter((text) => text.includes('INSERT INTO workflow_runs'))).toHaveLength(1)
  expect(sent.filter((text) => text.includes('UPDATE workflow_runs'))).toEqual([])
  const runs = await storyOf(acme, transactionId)
  expect([runs['ada']?.status, runs['grace']?.status]).toEqual([status, status])
})

test('a run with many messages leaves the next runs to another transaction', async () => {
  const acme = await world.environment()
  const receiver = 'http://127.0.0.1:9/'
  await createIntegration(acme, 'PUSH_WEBHOOK', receiver)
  await createWorkflow(acme, [{ push: { stepId: 'push', subject: 'Hi', body: 'Hello' } }])
  const everybody = ['ada', 'grace', 'mary']
  for (const subscriberId of everybody) {
    await done(acme, 'createSubscriber', { subscriberId })
    const deviceTokens = Array.from({ length: 20 }, (_, device) => `${subscriberId}-${device}`)
    await done(acme, 'setSubscriberCredentials', {
      subscriberId,
      providerId: 'PUSH_WEBHOOK',
      credentials: { deviceTokens },
    })
  }
  await trigger(acme, { to: everybody })
  const { environmentId, job } = await nextFanOut(acme)
  const scope = createEnvironmentScope(world.gateway, environmentId)
  const perRecipient = async () => {
    const rows = await scope.db.delivery.groupBy({ by: 'subscriberId', where: { environmentId }, _count: true })
    return rows.map(({ _count }) => _count)
  }
  await scope.transaction((inner) => fanOut(inner, [job], 3))
  expect(await perRecipient()).toEqual([20])
  for (let jobs; (jobs = await removeNextJobs(scope, scope.now())).length > 0;)
    for (const next of jobs) if (next.queue === 'advance') await scope.transaction((inner) => advance(inner, next, 3))
  expect(await perRecipient()).toEqual([20, 20, 20])
})
