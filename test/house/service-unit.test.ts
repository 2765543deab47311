// The unit of systemd and its drop-in for PostgreSQL, compared with the settings and with compose.yaml.
// test/system/service-unit.test.ts has systemd check them.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig, variables } from '../../src/config.ts'
import { fileVariables } from '../../src/settings/secret-files.ts'

const root = path.join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const unit = read('docs/deploy/systemd/notification-gateway.service')
const dropIn = read('docs/deploy/systemd/notification-gateway.service.d/postgresql.conf')

/** All values of a directive. */
const valuesOf = (name: string, text = unit) =>
  [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)

/** The variables that a unit sets. */
const environmentOf = (text: string) =>
  valuesOf('Environment', text)
    .flatMap((value) => value.split(' '))
    .map((one) => one.split('='))

describe('the unit of systemd', () => {
  test('starts the program as npm does', () => {
    const { scripts } = JSON.parse(read('package.json'))
    expect(valuesOf('ExecStart')).toEqual([scripts.start.replace('exec ', '/usr/bin/')])
  })

  test('sets variables that the gateway reads, and keeps its data in the folder that it may write', () => {
    const settings = environmentOf(unit).filter(([name]) => name !== 'NODE_ENV')
    expect(settings.filter(([name = '']) => !variables.includes(name))).toEqual([])
    expect(readConfig(Object.fromEntries(settings)).dataDirectory).toBe(`/var/lib/${valuesOf('StateDirectory')[0]}`)
  })

  test('gives the gateway the time to stop', () => {
    const { shutdownDelay } = readConfig({ DATABASE_URL: 'postgresql://gateway@db/gateway' })
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(shutdownDelay + 25)
  })

  test('has as many open files as the composition', () => {
    expect(read('compose.yaml')).toContain(`nofile: ${valuesOf('LimitNOFILE')[0]}\n`)
  })

  test('reads the secrets of a server from credentials', () => {
    const credentials = valuesOf('LoadCredential', dropIn).map((value) => value.split(':'))
    const files = environmentOf(dropIn)
    expect(files.map(([name]) => name)).toEqual(['DATABASE_URL_FILE', 'ENCRYPTION_KEYS_FILE'])
    expect(files.filter(([name = '']) => !fileVariables.includes(name))).toEqual([])
    expect(files.map(([, value]) => value)).toEqual(credentials.map(([name]) => `%d/${name}`))
    const shown = credentials.filter(([, file = '']) => !read('docs/operations.md').includes(file))
    expect(shown).toEqual([])
  })
})
