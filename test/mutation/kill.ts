// Runs tests with one mutant after the other turned on, in one process. A mutant is killed by the first test that fails.
import { appendFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, inject } from 'vitest'
import { switches, turnOn } from './runtime.ts'

const { results, trials } = inject('mutation')

const note = (line: object) => appendFileSync(results, `${JSON.stringify(line)}\n`)

for (const { id, files } of trials) {
  describe(`mutant ${id}`, () => {
    let killedBy: string | undefined
    beforeAll(() => note({ begun: id }))
    afterAll(() => {
      turnOn(0)
      note({ ended: id, killedBy: killedBy ?? null })
    })

    describe.each(files)('%s', (file) => {
      let ran = 0
      beforeAll(() => {
        // The tests of this file are not run then, and their application is not opened.
        if (killedBy !== undefined) throw new Error('killed before')
        turnOn(id)
      })
      beforeEach(({ task, skip, onTestFailed }) => {
        ran += 1
        if (killedBy !== undefined) skip()
        onTestFailed(() => {
          killedBy ??= `${file}: ${task.name}`
        })
      })
      // If none ran, the preparation of the file failed.
      afterAll(() => {
        const isPrepared = ran > 0 || switches.active !== id
        if (!isPrepared) killedBy ??= `${file}: preparation`
        turnOn(0)
      })
      // A copy of the file: its tests are declared again. The sources are shared.
      describe('tests', async () => {
        await import(/* @vite-ignore */ `${file}?mutant=${id}`)
      })
    })
  })
}
