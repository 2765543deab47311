// The unit of systemd, checked by systemd itself. Needs systemd-analyze, which is in Debian's package systemd.
import { spawnSync } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/process/gateway-process.ts'

const source = path.join(import.meta.dirname, '../../docs/deploy/systemd')
const NAME = 'notification-gateway.service'

/** Offline checks came with version 251. */
const [, version = '0'] = /^systemd (\d+)/.exec(String(spawnSync('systemd-analyze', ['--version']).stdout)) ?? []
const canAnalyze = Number(version) >= 251

/** The highest exposure of the unit, in tenths, where a unit without protection has 96. */
const EXPOSURE = 15

/** Copies the unit with its drop-in, and with programs and folders of this machine. @returns the path of the copy. */
async function installed(change: (text: string) => string = (text) => text): Promise<string> {
  const folder = await temporaryFolder()
  await cp(source, folder, { recursive: true })
  const unit = path.join(folder, NAME)
  const text = change(await readFile(unit, 'utf8'))
  await writeFile(
    unit,
    text.replace('/usr/bin/node', process.execPath).replace('=/opt/notification-gateway', `=${folder}`),
  )
  return unit
}

function analyze(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8' })
  return { status, stdout, stderr }
}

describe.runIf(canAnalyze)('the unit of systemd (needs systemd-analyze)', () => {
  test('is valid, with its drop-in for PostgreSQL', async () => {
    expect(analyze('verify', '--man=no', await installed())).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  test('is checked: a misspelled directive is found', async () => {
    const misspelled = await installed((text) => text.replace('ProtectHome', 'ProtectHomes'))
    expect(analyze('verify', '--man=no', misspelled).stderr).toContain('ProtectHomes')
  })

  test('exposes little of the machine', async () => {
    const unit = await installed()
    const { status, stdout } = analyze('security', '--offline=true', `--threshold=${EXPOSURE}`, unit)
    expect({ status, found: stdout.includes('Overall exposure level') }).toEqual({ status: 0, found: true })
    const bare = await installed((text) =>
      text.replaceAll(/^(?:Protect|Private|Restrict|SystemCall|Capability).*\n/gm, ''),
    )
    expect(analyze('security', '--offline=true', `--threshold=${EXPOSURE}`, bare).status).not.toBe(0)
  })
})
