// Runs test files with one mutant after the other turned on, in one process. A mutant is killed by the first test that fails.
import { appendFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, inject, test } from 'vitest'
import type { Note } from './plan.ts'
import { switches, turnOn } from './runtime.ts'

const { results, trials, loadedWith, hookTimeout } = inject('mutation')

const write = (note: Note) => appendFileSync(results, `${JSON.stringify(note)}\n`)

/** After a test that timed out, the process tries no other mutant. */
let isOver = false

turnOn(loadedWith)

for (const { id, files } of trials) {
  describe(`mutant ${id}`, () => {
    let killedBy: string | undefined
    let hasTimedOut = false
    let startedAt: number
    beforeAll(() => {
      if (isOver) throw new Error('left to another process')
      if (id === trials[0]?.id && loadedWith < 0) write({ loaded: [...switches.reached] })
      startedAt = performance.now()
      switches.reached.clear()
      turnOn(0)
      write({ begun: id })
    })
    afterAll(() => {
      if (isOver) return
      const took = Math.round(performance.now() - startedAt)
      write({ ended: id, killedBy: killedBy ?? null, hasTimedOut, reached: [...switches.reached], took })
      isOver = hasTimedOut
    })

    describe.each(files)('%s', (file) => {
      let ran = 0
      let openedAt: number
      beforeAll(() => {
        openedAt = performance.now()
        // The tests of this file are not run then, and their application is not opened.
        if (killedBy !== undefined) throw new Error('killed before')
        turnOn(id)
      })
      beforeEach(({ task, skip, onTestFailed }) => {
        ran += 1
        if (killedBy !== undefined) skip()
        onTestFailed(() => {
          killedBy ??= `${file}: ${task.name}`
          hasTimedOut ||= task.result?.errors?.some(({ message }) => /timed out/i.test(message)) === true
        })
      })
      // If none ran, the preparation of the file failed.
      afterAll(() => {
        const isPrepared = ran > 0 || switches.active !== id
        turnOn(0)
        if (isPrepared || killedBy !== undefined) return
        killedBy = `${file}: preparation`
        hasTimedOut = performance.now() - openedAt >= hookTimeout
      })
      describe('tests', async () => {
        try {
          // A copy of the file, so that its tests are declared again. The sources are shared.
          await import(/* @vite-ignore */ `${file}?mutant=${id}`)
        } catch (error) {
          test('is loaded', () => {
            throw error
          })
        }
      })
    })
  })
}
