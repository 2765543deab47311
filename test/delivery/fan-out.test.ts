// A fan-out that fails: nothing of it is left behind that could end the process.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { removeNextJob } from '../../src/data/queue/job-taking.ts'
import { createEnvironmentScope, type Gateway } from '../../src/domain/resolver/scope.ts'
import { fanOut } from '../../src/engine/fan-out.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { useWorld } from '../support/world.ts'
import { createWorkflow, trigger } from '../support/delivery/story.ts'

const world = useWorld()

/** The same connection, which is lost when runs are to be created. */
const losing = (db: Gateway['db']): Gateway['db'] =>
  new Proxy(db, {
    get(target, name) {
      if (name !== '$queryRaw') return Reflect.get(target, name, target) as unknown
      return (strings: TemplateStringsArray, ...values: unknown[]) =>
        strings.join('').includes('INSERT INTO workflow_runs')
          ? Promise.reject(new Error('the connection is lost'))
          : target.$queryRaw(strings, ...values)
    },
  })

test('a fan-out whose runs cannot be created fails, and leaves no rejection without a listener', async () => {
  const acme = await world.environment()
  await createWorkflow(acme, [{ inApp: { stepId: 'bell', body: 'Hello' } }])
  await trigger(acme)
  const { db } = world.gateway
  const environmentId = await environmentIdOf(acme)
  const job = await removeNextJob({ db, environmentId }, world.gateway.now())
  if (job?.queue !== 'fan_out') throw new Error('the trigger left no fan-out')
  const onRejection = vi.fn()
  process.on('unhandledRejection', onRejection)
  onTestFinished(() => void process.off('unhandledRejection', onRejection))
  const failing = fanOut(createEnvironmentScope(world.gateway, environmentId, losing(db)), [job], 500)
  await expect(failing).rejects.toThrow('the connection is lost')
  await nextTurn()
  expect(onRejection).not.toHaveBeenCalled()
})
